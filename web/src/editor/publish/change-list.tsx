import { Text } from '@mantine/core'
import { SEALED_PREFIX } from '../../../../src/base/sealed-prefix.ts'
import type { Change, Detail } from '../../flow-model/diff-flows.ts'
import classes from './publish.module.css'

const SIGNS: Record<Change['kind'], [sign: string, word: string]> = {
  added: ['+', 'Added'],
  removed: ['−', 'Removed'],
  moved: ['↕', 'Moved'],
  changed: ['~', 'Changed'],
}

interface ChangeListProps {
  changes: readonly Change[]
  /** Opens what changed, where it is still there. */
  onOpen?: (change: Change) => void
}

/** What changed, in words and values. */
export function ChangeList({ changes, onOpen }: ChangeListProps) {
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing has changed.
      </Text>
    )
  return (
    <ul className={classes.changes}>
      {changes.map((change) => {
        const [sign, word] = SIGNS[change.kind]
        return (
          <li key={`${change.kind} ${change.subject} ${change.path}`} className={classes.change}>
            <span className={classes.sign} title={word}>
              {sign}
            </span>
            <div className={classes.subject}>
              {onOpen && change.path !== null ? (
                <button type="button" onClick={() => onOpen(change)}>
                  {change.subject}
                </button>
              ) : (
                <b>{change.subject}</b>
              )}
              <span className={classes.summary}>{change.summary}</span>
            </div>
            {change.details.length > 0 && (
              <div className={classes.details}>
                {change.details.map((detail) => (
                  <DetailView key={detail.setting} detail={detail} />
                ))}
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function DetailView({ detail: { setting, before, after } }: { detail: Detail }) {
  return (
    <div className={classes.detail}>
      <span className={classes.setting}>{setting}</span>
      {before !== undefined && (
        <span className={classes.value} data-side="before">
          {shown(before)}
        </span>
      )}
      <span className={classes.value} data-side="after">
        {after === undefined ? <em>removed</em> : shown(after)}
      </span>
    </div>
  )
}

const LONGEST = 4000

function shown(value: unknown): string {
  if (typeof value === 'string' && value.startsWith(SEALED_PREFIX)) return 'a secret'
  const text = typeof value === 'string' ? value || '(empty)' : JSON.stringify(value, null, 2)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
