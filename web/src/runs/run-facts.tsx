// The facts of a run in one line.
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Run } from '../api/api-types.ts'
import { labelText } from '../api/label-filter.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { formatMoment } from '../ui/format.ts'
import { statusWord } from '../ui/status.tsx'
import { Duration, RelativeTime } from '../ui/time.tsx'
import { HANDLING, isHandling } from './model/handling.ts'
import { shortId } from './model/short-id.ts'
import { RunLink } from './panel/run-link.tsx'
import classes from './run-page.module.css'

export function RunFacts({ run }: { run: Run }) {
  // What is called because the run failed stands where that is shown.
  const called = run.children.filter(({ step }) => !isHandling(step))
  return (
    <dl className={classes.facts}>
      <Fact name="Version">{run.version === null ? 'draft' : run.version}</Fact>
      <Fact name="Started">
        <RelativeTime at={run.createdAt} />
        <span className={classes.exact}>{formatMoment(Date.parse(run.createdAt))}</span>
      </Fact>
      <Fact name="Duration">
        <span className={classes.duration}>
          {run.startedAt ? <Duration since={run.startedAt} until={run.finishedAt} /> : 'has not begun'}
        </span>
      </Fact>
      {run.test && <Fact name="Kind">test run</Fact>}
      {run.trigger.admitted && <Fact name="Admitted by">{run.trigger.admitted.by}</Fact>}
      {Object.entries(run.labels ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          <Anchor
            size="sm"
            className={classes.label}
            title={`Runs with ${name}=${value}`}
            renderRoot={(props) => <Link {...props} to="/runs" search={{ label: labelText(name, value) }} />}
          >
            {value}
          </Anchor>
        </Fact>
      ))}
      {run.replayOf && (
        <Fact name="Replay of">
          <RunLink id={run.replayOf} />
        </Fact>
      )}
      {run.edited && <Fact name="Data">edited for the replay</Fact>}
      {run.dataDeleted && <Fact name="Data">deleted with its end</Fact>}
      {run.replayedAs && (
        <Fact name="Replayed as">
          <RunLink id={run.replayedAs.run} /> ({run.replayedAs.status})
        </Fact>
      )}
      {run.parent && (
        <Fact name="Called by">
          <RunLink id={run.parent.run} /> ({run.parent.step})
        </Fact>
      )}
      {called.length > 0 && (
        <Fact name="Called">
          {called.slice(0, MOST_CHILDREN).map((child, i) => (
            <span key={child.run}>
              {i > 0 && ', '}
              <RunLink id={child.run} /> ({child.step}, {child.status})
            </span>
          ))}
          {called.length > MOST_CHILDREN && ` and ${called.length - MOST_CHILDREN} more`}
        </Fact>
      )}
      {run.onFailure && (
        <Fact name="When it failed">
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link {...props} to="/runs/$id" params={{ id: run.id }} search={{ step: HANDLING }} />
            )}
          >
            {statusWord(run.onFailure.status).toLowerCase()}
          </Anchor>
        </Fact>
      )}
      <Fact name="Id">
        <code className={classes.id} title={run.id}>
          {shortId(run.id)}
        </code>
        <CopyButton value={run.id} label="Copy the run's id" size="xs" />
      </Fact>
    </dl>
  )
}

/** A loop may call thousands of runs. */
const MOST_CHILDREN = 5

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
