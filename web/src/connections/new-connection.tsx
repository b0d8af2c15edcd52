// Makes a connection wherever one is needed: on its own page, or in place beside the field of a step.
import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api } from '../api/api-client.ts'
import type { Connection, ConnectionKind } from '../api/api-types.ts'
import { keys } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { CallbackUrl } from './callback-url.tsx'
import { type ConnectionDraft, emptyDraft, requestOf } from './connection-draft.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { ConnectionKindIcon } from './connection-kind-icon.tsx'
import { CONNECTION_KINDS } from './connection-kinds.ts'
import classes from './new-connection.module.css'
import { PresetChoice } from './preset-choice.tsx'

const ALL_KINDS = CONNECTION_KINDS.map(({ kind }) => kind)

interface NewConnectionProps {
  /** Those that can be chosen. */
  kinds?: readonly ConnectionKind[]
  /** A name to begin with. */
  name?: string
  onCreated: (connection: Connection) => void
  onCancel?: () => void
}

export function NewConnection({ kinds = ALL_KINDS, name = '', onCreated, onCancel }: NewConnectionProps) {
  const [draft, setDraft] = useState<ConnectionDraft>(() => emptyDraft(kinds[0]!, name))
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () => api.post<Connection>('/connections', { name: draft.name, ...requestOf(draft) }),
    onSuccess: (connection) => {
      queryClient.setQueryData(keys.connection(connection.name), connection)
      void queryClient.invalidateQueries({ queryKey: keys.connections })
      onCreated(connection)
    },
  })
  const issues = create.error instanceof ApiError ? create.error.issues : []
  const change = (next: ConnectionDraft) => {
    create.reset()
    setDraft(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    create.mutate()
  }
  const nameTaken = create.error instanceof ApiError && create.error.status === 409 ? create.error.message : undefined
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {kinds.length > 1 && (
          <KindChoice
            kinds={kinds}
            chosen={draft.kind}
            onChoose={(chosen) => change({ ...emptyDraft(chosen), name: draft.name })}
          />
        )}
        {draft.kind === 'oauth2' && (draft.values['grant'] ?? 'authorization_code') === 'authorization_code' && (
          <PresetChoice draft={draft} onChange={change} />
        )}
        <TextInput
          label="Name"
          description={`Flows read it as connections.${draft.name || 'name'}. It cannot be changed later.`}
          placeholder="shop"
          required
          pattern="[a-z][a-z0-9_]*"
          title="Lower-case letters, digits and _, beginning with a letter"
          value={draft.name}
          onChange={(event) =>
            change({ ...draft, name: event.currentTarget.value.toLowerCase().replaceAll(/[\s-]+/g, '_') })
          }
          error={nameTaken ?? issues.find(({ path }) => path === '/name')?.message}
          autoComplete="off"
          spellCheck={false}
        />
        <ConnectionFields draft={draft} onChange={change} issues={issues} />
        {draft.kind === 'oauth2' && (draft.values['grant'] ?? 'authorization_code') === 'authorization_code' && (
          <CallbackUrl />
        )}
        {create.isError && issues.length === 0 && !nameTaken && (
          <ErrorNote title="The connection was not created" error={create.error} />
        )}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={create.isPending}>
            Create connection
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface KindChoiceProps {
  kinds: readonly ConnectionKind[]
  chosen: ConnectionKind
  onChoose: (kind: ConnectionKind) => void
}

function KindChoice({ kinds, chosen, onChoose }: KindChoiceProps) {
  return (
    <div role="radiogroup" aria-label="Kind" className={classes.kinds}>
      {CONNECTION_KINDS.filter(({ kind }) => kinds.includes(kind)).map(({ kind, label, purpose }) => (
        <UnstyledButton
          key={kind}
          role="radio"
          aria-checked={kind === chosen}
          className={classes.kind}
          onClick={() => onChoose(kind)}
        >
          <ConnectionKindIcon kind={kind} size={18} />
          <span className={classes.label}>{label}</span>
          <Text size="xs" c="dimmed" component="span">
            {purpose}
          </Text>
        </UnstyledButton>
      ))}
    </div>
  )
}
