import { Anchor, Button, Skeleton, Table } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Connection } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import tables from '../ui/table.module.css'
import { RelativeTime } from '../ui/time.tsx'
import { ConnectionKindIcon } from './connection-kind-icon.tsx'
import { kindInfo } from './connection-kinds.ts'
import { ConnectionStateLine } from './connection-state.tsx'

export function ConnectionsPage() {
  const connections = useQuery(queries.connections)
  const mayWrite = useMay('connections:write')
  const add = mayWrite && (
    <Button component={Link} to="/connections/-new" leftSection={<IconPlus size={15} />}>
      New connection
    </Button>
  )
  return (
    <>
      <PageHeader title="Connections" actions={connections.data?.length !== 0 && add} />
      <PageBody>
        {connections.isPending && <Skeleton height={240} />}
        {connections.isError && (
          <ErrorNote
            title="The connections could not be loaded"
            error={connections.error}
            onRetry={() => void connections.refetch({ cancelRefetch: true })}
          />
        )}
        {connections.data?.length === 0 && (
          <EmptyState
            picture={<IconPlugConnected size={40} stroke={1.2} />}
            title="No connections yet"
            action={add}
            guide="connections"
          >
            A connection stores the credentials for an API under a name. Your flows use that name, so no flow contains
            the secret, and you can replace it at any time.
          </EmptyState>
        )}
        {connections.data && connections.data.length > 0 && (
          <div className={tables.frame}>
            <Table highlightOnHover verticalSpacing={9} horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Kind</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Hosts</Table.Th>
                  <Table.Th>Used by</Table.Th>
                  <Table.Th className={tables.wideOnly}>Changed</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {connections.data.map((connection) => (
                  <ConnectionRow key={connection.name} connection={connection} />
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </PageBody>
    </>
  )
}

function ConnectionRow({ connection }: { connection: Connection }) {
  const { name, kind, hosts, usedBy, updatedAt } = connection
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={`/connections/${name}`} className={tables.name}>
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <span className={tables.withIcon}>
          <ConnectionKindIcon kind={kind} />
          {kindInfo(kind).label}
        </span>
      </Table.Td>
      <Table.Td>
        <ConnectionStateLine connection={connection} />
      </Table.Td>
      <Table.Td className={tables.cut} title={hosts.join(', ')}>
        {hosts.length === 0 ? <span className={tables.dim}>Any</span> : <code>{hosts.join(', ')}</code>}
      </Table.Td>
      <Table.Td className={tables.dim}>{usedBy.length === 0 ? 'No flow' : plural(usedBy.length, 'flow')}</Table.Td>
      <Table.Td className={`${tables.dim} ${tables.wideOnly}`}>
        <RelativeTime at={updatedAt} />
      </Table.Td>
    </Table.Tr>
  )
}
