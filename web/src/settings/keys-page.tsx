import { Button, Progress, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/api-client.ts'
import type { KeysState } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { StatusDot } from '../ui/status.tsx'
import tables from '../ui/table.module.css'
import { SettingsPage } from './section.tsx'

export function KeysPage() {
  const state = useQuery(queries.encryptionKeys)
  const queryClient = useQueryClient()
  const rotate = async () =>
    void queryClient.setQueryData(keys.encryptionKeys, await api.post<KeysState>('/keys/rotate'))
  return (
    <SettingsPage
      title="Encryption keys"
      lead="Millrace encrypts secrets with the current key before it stores them. Older keys still decrypt what they encrypted."
      action={
        state.data && (
          <ConfirmPopover
            title="Encrypt everything with the current key?"
            confirm="Rotate"
            danger={false}
            onConfirm={rotate}
            target={(ask) => (
              <Button variant="default" disabled={state.data.rotation.status === 'running'} onClick={ask}>
                Rotate
              </Button>
            )}
          >
            Secrets that an older key protects are encrypted again. Flows continue to run. Afterwards the older keys can
            be taken out of <code>MILLRACE_SECRET_KEY</code>.
          </ConfirmPopover>
        )
      }
    >
      {state.isPending && <Skeleton height={120} />}
      {state.isError && (
        <ErrorNote
          title="The keys could not be read"
          error={state.error}
          onRetry={() => void state.refetch({ cancelRefetch: true })}
        />
      )}
      {state.data && (
        <>
          <Rotation rotation={state.data.rotation} />
          <div className={tables.frame}>
            <Table verticalSpacing={8} horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Key</Table.Th>
                  <Table.Th>Use</Table.Th>
                  <Table.Th>Encrypted values</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {state.data.keys.map(({ id, sealed, given }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <code>{id}</code>
                    </Table.Td>
                    <Table.Td>
                      {id === state.data.current ? (
                        <StatusDot status="ready" word="Current" />
                      ) : sealed > 0 && !given ? (
                        <StatusDot status="failed" word="Missing: what it sealed cannot be opened" />
                      ) : sealed > 0 ? (
                        'Opens only'
                      ) : (
                        'No longer needed'
                      )}
                    </Table.Td>
                    <Table.Td className={tables.dim}>{plural(sealed, 'value')}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        </>
      )}
    </SettingsPage>
  )
}

function Rotation({ rotation: { status, done, total, error } }: { rotation: KeysState['rotation'] }) {
  if (status === 'idle') return null
  if (status === 'failed')
    return (
      <ErrorNote
        title={`The rotation stopped after ${done} of ${total}`}
        error={error ?? 'The reason is in the log.'}
        hint="The secrets that were sealed again stay so. Rotate again to continue."
      />
    )
  return (
    <Stack gap={6}>
      <Text role="status">
        Sealing again: {done.toLocaleString('en')} of {total.toLocaleString('en')}
      </Text>
      <Progress value={total === 0 ? 100 : (done / total) * 100} aria-label="Rotation" />
    </Stack>
  )
}
