// A secret can be written and never read again: what is set shows as set, and can be replaced.
import { Button, Group, Input, PasswordInput, Textarea } from '@mantine/core'
import type { ChangeEvent } from 'react'
import type { ConnectionDraft } from './connection-draft.ts'
import classes from './secret-field.module.css'

interface SecretFieldProps {
  name: string
  label: string
  description?: string | undefined
  required: boolean
  /** It has several lines, as keys do, which a password field would join. */
  lines?: boolean
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
  error: string | undefined
  readOnly: boolean
}

const CODE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

const ELSEWHERE = 'The secret, or where it is kept: file:name, vault:path#field'

export function SecretField(props: SecretFieldProps) {
  const { name, label, description, required, lines = false, draft, onChange, error, readOnly } = props
  const typed = draft.values[name]
  const isSet = draft.kept.includes(name)
  const removed = draft.removed.includes(name)
  const set = (value: string | undefined, nowRemoved = false) => {
    const { [name]: _, ...others } = draft.values
    onChange({
      ...draft,
      values: value === undefined ? others : { ...others, [name]: value },
      removed: [...draft.removed.filter((one) => one !== name), ...(nowRemoved ? [name] : [])],
    })
  }
  if (isSet && typed === undefined)
    return (
      <Input.Wrapper label={label} description={description} error={error}>
        <div className={classes.set}>
          <span className={classes.dots}>
            {removed ? 'Removed when you save' : (draft.outside[name] ?? '••••••••  set')}
          </span>
          {!readOnly && (
            <Group gap="xs">
              {removed ? (
                <Button size="xs" variant="subtle" onClick={() => set(undefined)}>
                  Keep it
                </Button>
              ) : (
                <>
                  {!required && (
                    <Button
                      size="xs"
                      variant="subtle"
                      color="gray"
                      aria-label={`Remove ${label}`}
                      onClick={() => set(undefined, true)}
                    >
                      Remove
                    </Button>
                  )}
                  <Button size="xs" variant="default" aria-label={`Replace ${label}`} onClick={() => set('')}>
                    Replace
                  </Button>
                </>
              )}
            </Group>
          )}
        </div>
      </Input.Wrapper>
    )
  const shared = {
    flex: 1,
    label,
    description: isSet ? 'Set; leave empty to keep it.' : (description ?? ELSEWHERE),
    required: required && !isSet,
    value: typed ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(event.currentTarget.value),
    error,
    readOnly,
    'data-autofocus': isSet || undefined,
  }
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      {lines ? (
        <Textarea {...shared} minRows={4} maxRows={12} autosize spellCheck={false} styles={CODE} />
      ) : (
        <PasswordInput {...shared} autoComplete="new-password" />
      )}
      {isSet && (
        <Button variant="subtle" color="gray" onClick={() => set(undefined)}>
          Keep the old one
        </Button>
      )}
    </Group>
  )
}
