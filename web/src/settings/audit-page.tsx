import { Anchor, Button, Group, Skeleton, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatMoment } from '../ui/format.ts'
import tables from '../ui/table.module.css'
import { auditDetails, auditLink, auditWords } from './audit-words.ts'
import { SettingsPage } from './section.tsx'

export function AuditPage() {
  const list = useInfiniteQuery(queries.audit)
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <SettingsPage
      title="Audit log"
      lead="Who did what, newest first. Each entry holds the hash of the one before; they are kept for a year."
      action={
        <Button component="a" href="/api/v1/audit/export" download="millrace-audit.jsonl" variant="default">
          Download
        </Button>
      }
      wide
    >
      {list.isPending && <Skeleton height={240} />}
      {list.isError && (
        <ErrorNote
          title="The audit log could not be loaded"
          error={list.error}
          onRetry={() => void list.refetch({ cancelRefetch: true })}
        />
      )}
      {list.isSuccess && entries.length === 0 && <Text c="dimmed">There are no entries yet.</Text>}
      {entries.length > 0 && (
        <div className={tables.frame}>
          <Table verticalSpacing={6} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>Action</Table.Th>
                <Table.Th>Target</Table.Th>
                <Table.Th className={tables.wideOnly}>Details</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {list.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older entries
          </Button>
        </Group>
      )}
    </SettingsPage>
  )
}

function AuditRow({ entry: { at, actor, action, target, details } }: { entry: AuditEntry }) {
  const link = target && auditLink(target)
  const name = target && (target.name ?? target.id)
  const said = auditDetails(details)
  return (
    <Table.Tr>
      <Table.Td className={tables.dim}>
        <time dateTime={at}>{formatMoment(Date.parse(at))}</time>
      </Table.Td>
      <Table.Td className={tables.cut} title={actor}>
        {actor}
      </Table.Td>
      <Table.Td className={tables.whole} title={action}>
        {auditWords(action)}
      </Table.Td>
      <Table.Td className={tables.cut} title={name ?? undefined}>
        {link && action !== 'flow.delete' && action !== 'connection.delete' ? (
          <Anchor component={Link} to={link} size="sm">
            {name}
          </Anchor>
        ) : (
          name
        )}
      </Table.Td>
      <Table.Td className={`${tables.cut} ${tables.wideOnly}`} title={said}>
        <span className={tables.dim}>{said}</span>
      </Table.Td>
    </Table.Tr>
  )
}
