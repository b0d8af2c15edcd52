import { ActionIcon, Skeleton, Table, Text, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { scopeWords } from '../../../../src/base/scopes.ts'
import { api } from '../../api/api-client.ts'
import type { Token } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import tables from '../../ui/table.module.css'
import { GuideLink } from '../../ui/text/guide-link.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { SettingsPage } from '../section.tsx'
import { NewToken } from './new-token.tsx'

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

function TokenTable({ tokens }: { tokens: Token[] }) {
  return (
    <div className={tables.frame}>
      <Table verticalSpacing={8} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>May</Table.Th>
            <Table.Th>Expires</Table.Th>
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
              <Table.Td>
                {scopeWords(token.scopes)}
                <LimitLine token={token} />
              </Table.Td>
              <Table.Td className={tables.dim}>
                {token.expiresAt ? <RelativeTime at={token.expiresAt} /> : 'Never'}
              </Table.Td>
              <Table.Td className={tables.dim}>
                <RelativeTime at={token.createdAt} />
              </Table.Td>
              <Table.Td className={tables.cut}>{token.createdBy}</Table.Td>
              <Table.Td className={tables.dim}>
                {token.lastUsedAt ? <RelativeTime at={token.lastUsedAt} /> : 'Never'}
                {token.lastAddress && <div>from {token.lastAddress}</div>}
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

/** What the token is limited to. */
function LimitLine({ token: { flows, tags } }: { token: Token }) {
  const known = useQuery({ ...queries.flows, enabled: flows !== null && flows.length > 0 }).data ?? []
  if (!flows || !tags) return null
  const names = flows.map((id) => known.find((flow) => flow.id === id)?.name ?? id)
  const words = [...names, ...tags.map((tag) => `#${tag}`)]
  return <div className={tables.dim}>only {words.join(', ')}</div>
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
      Scripts that use it get 401 from now on, and so do those that use a token it made. A revoked token cannot be
      restored.
    </ConfirmPopover>
  )
}
