import { ActionIcon, Button, Group, Select, Skeleton, Stack, Table, Text, TextInput, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api-client.ts'
import type { Scope, Token } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyDone } from '../ui/notify.tsx'
import tables from '../ui/table.module.css'
import { GuideLink } from '../ui/text/guide-link.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { SCOPES } from './roles.ts'
import { SettingsPage } from './section.tsx'
import { ShownOnce } from './shown-once.tsx'

export function TokensPage() {
  const tokens = useQuery(queries.tokens)
  return (
    <SettingsPage
      title="API tokens"
      lead={
        <>
          For scripts, which send <code>Authorization: Bearer …</code>. See the <a href="/api/docs">API reference</a>{' '}
          and <GuideLink page="access#api-tokens">the guide</GuideLink>.
        </>
      }
      wide
    >
      <NewToken />
      {tokens.isPending && <Skeleton height={100} />}
      {tokens.isError && (
        <ErrorNote
          title="The tokens could not be loaded"
          error={tokens.error}
          onRetry={() => void tokens.refetch({ cancelRefetch: true })}
        />
      )}
      {tokens.data?.length === 0 && <Text c="dimmed">No tokens yet.</Text>}
      {tokens.data && tokens.data.length > 0 && <TokenTable tokens={tokens.data} />}
    </SettingsPage>
  )
}

function NewToken() {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const create = useMutation({
    mutationFn: () => api.post<Token & { token: string }>('/tokens', { name, scope }),
    onSuccess: () => {
      setName('')
      void queryClient.invalidateQueries({ queryKey: keys.tokens })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            description="What it is for, such as the script that uses it."
            placeholder="nightly-backup"
            required
            w={320}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
          />
          <Select
            label="Scope"
            w={110}
            data={SCOPES.map(({ value, label }) => ({ value, label }))}
            value={scope}
            onChange={(value) => value && setScope(value as Scope)}
          />
          <Button type="submit" variant="default" loading={create.isPending}>
            Create token
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mt={6}>
          {scope}: {SCOPES.find(({ value }) => value === scope)?.means}.
        </Text>
      </form>
      {create.isError && <ErrorNote title="The token was not created" error={create.error} />}
      {create.data && (
        <ShownOnce title={`Token "${create.data.name}"`} secret={create.data.token} onDone={create.reset} />
      )}
    </Stack>
  )
}

function TokenTable({ tokens }: { tokens: Token[] }) {
  return (
    <div className={tables.frame}>
      <Table verticalSpacing={8} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Scope</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th aria-label="Revoke" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.id}>
              <Table.Td className={tables.cut} title={token.name}>
                <span className={tables.name}>{token.name}</span>
              </Table.Td>
              <Table.Td>{token.scope}</Table.Td>
              <Table.Td className={tables.dim}>
                <RelativeTime at={token.createdAt} />
              </Table.Td>
              <Table.Td className={tables.cut}>{token.createdBy}</Table.Td>
              <Table.Td className={tables.dim}>
                {token.lastUsedAt ? <RelativeTime at={token.lastUsedAt} /> : 'Never'}
              </Table.Td>
              <Table.Td className={tables.actions}>
                <Revoke token={token} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Revoke({ token }: { token: Token }) {
  const queryClient = useQueryClient()
  const revoke = async () => {
    await api.delete(`/tokens/${token.id}`)
    await queryClient.invalidateQueries({ queryKey: keys.tokens })
    notifyDone(`"${token.name}" is revoked.`)
  }
  return (
    <ConfirmPopover
      title={`Revoke "${token.name}"?`}
      confirm="Revoke token"
      onConfirm={revoke}
      target={(ask) => (
        <Tooltip label="Revoke">
          <ActionIcon aria-label={`Revoke ${token.name}`} onClick={ask}>
            <IconTrash size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    >
      Scripts that use it get 401 from now on. A revoked token cannot be restored.
    </ConfirmPopover>
  )
}
