// Moves a secret that was typed into a step to a connection: the server makes it of the stored secret, which nobody sees again.
import { Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SEALED_PREFIX } from '../../../../src/base/sealed-prefix.ts'
import { ApiError, api } from '../../api/api-client.ts'
import type { Connection } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { useField } from '../../fields/field-context.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import panel from '../panel/panel.module.css'
import { useEditor } from '../state/editor-context.tsx'
import { hostOf, moveOf, type SecretMove } from './secret-move.ts'

interface MoveSecretProps {
  /** The JSON Pointer of the authentication. */
  path: string
  auth: Record<string, unknown>
  onMoved: (connection: Connection) => void
}

export function MoveSecret({ path, auth, onMoved }: MoveSecretProps) {
  const mayCreate = useMay('connections:write')
  const { readOnly } = useEditor()
  const [asking, setAsking] = useState(false)
  const move = moveOf(auth, SEALED_PREFIX)
  if (!move || !mayCreate || readOnly) return null
  if (!asking)
    return (
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconPlugConnected size={14} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setAsking(true)}
      >
        Move this secret to a connection
      </Button>
    )
  return (
    <MoveForm
      path={path}
      move={move}
      onCancel={() => setAsking(false)}
      onMoved={(connection) => {
        setAsking(false)
        onMoved(connection)
      }}
    />
  )
}

interface MoveFormProps {
  path: string
  move: SecretMove
  onCancel: () => void
  onMoved: (connection: Connection) => void
}

function MoveForm({ path, move, onCancel, onMoved }: MoveFormProps) {
  const { flow } = useEditor()
  const queryClient = useQueryClient()
  const host = hostOf(useField(`${path.slice(0, path.lastIndexOf('/'))}/url`).value)
  const [name, setName] = useState(host ? nameFrom(host) : '')
  const [hosts, setHosts] = useState(host ? [host] : [])
  const create = useMutation({
    mutationFn: () =>
      api.post<Connection>(`/flows/${flow.id}/secrets/move`, {
        path: `${path}/${move.secret}`,
        name,
        kind: move.kind,
        field: move.secret,
        fields: move.fields,
        hosts,
      }),
    onSuccess: (connection) => {
      void queryClient.invalidateQueries({ queryKey: keys.connections })
      onMoved(connection)
    },
  })
  const taken = create.error instanceof ApiError && create.error.status === 409 ? create.error.message : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    create.mutate()
  }
  return (
    <form className={panel.case} onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">The secret moves to a new connection, and this step refers to it by name.</Text>
        <TextInput
          label="Name"
          placeholder="shop"
          required
          pattern="[a-z][a-z0-9_]*"
          title="Lower-case letters, digits and _, beginning with a letter"
          value={name}
          onChange={({ currentTarget }) => {
            create.reset()
            setName(currentTarget.value.toLowerCase().replaceAll(/[\s-]+/g, '_'))
          }}
          error={taken}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
        />
        <TagsInput
          label="Hosts"
          description="The hosts that may get the secret. If empty: any host."
          value={hosts}
          onChange={setHosts}
          splitChars={[',', ' ']}
          acceptValueOnBlur
        />
        {create.isError && !taken && <ErrorNote title="The secret was not moved" error={create.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Move
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** "api.example.com" suggests "example". */
function nameFrom(host: string): string {
  const labels = host.replace(/:\d+$/, '').split('.')
  const label = labels.at(-2) ?? labels[0]!
  const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return /^[a-z]/.test(name) ? name : ''
}
