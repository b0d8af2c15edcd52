// Who is told of what, when the last message was sent, and what is wrong with it.
import { ActionIcon, Button, Group, Skeleton, Table, Tooltip } from '@mantine/core'
import { IconBell, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Alert } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNote, messageOf } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import tables from '../../ui/table.module.css'
import { GuideLink } from '../../ui/text/guide-link.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { SettingsPage } from '../section.tsx'
import { ShownOnce } from '../shown-once.tsx'
import { AlertDialog } from './alert-dialog.tsx'
import { isAboutFlows } from './alert-draft.ts'
import { alertsQuery, type SavedAlert, useDeleteAlert, useTestAlert } from './alert-queries.ts'
import { ruleInWords, scopeInWords, targetInWords } from './alert-words.ts'
import classes from './alerts-page.module.css'

export function AlertsPage() {
  const alerts = useQuery(alertsQuery)
  const isOwner = useMay('admin')
  const [open, setOpen] = useState<Alert | 'new' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const saved = (alert: SavedAlert) => {
    setOpen(null)
    setSecret(alert.secret ?? null)
    if (alert.secret === undefined) notifyDone('The alert is saved.')
  }
  const add = isOwner && (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setOpen('new')}>
      New alert
    </Button>
  )
  return (
    <SettingsPage
      title="Alerts"
      lead={
        <>
          Tells you by e-mail or webhook when something needs you. At most one message per alert and window, then a
          digest. See <GuideLink page="alerts">the guide</GuideLink>.
        </>
      }
      action={alerts.data?.length !== 0 && add}
      wide
    >
      {secret !== null && (
        <ShownOnce title="The secret that signs the messages" secret={secret} onDone={() => setSecret(null)} />
      )}
      {alerts.isPending && <Skeleton height={140} />}
      {alerts.isError && (
        <ErrorNote
          title="The alerts could not be loaded"
          error={alerts.error}
          onRetry={() => void alerts.refetch({ cancelRefetch: true })}
        />
      )}
      {alerts.data?.length === 0 && (
        <EmptyState picture={<IconBell size={40} stroke={1.2} />} title="No alerts yet" action={add} guide="alerts">
          Without an alert, you learn of a failure only if you look for it. {!isOwner && 'An owner can make one.'}
        </EmptyState>
      )}
      {alerts.data && alerts.data.length > 0 && (
        <div className={tables.frame}>
          <Table verticalSpacing={9} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Tells when</Table.Th>
                <Table.Th className={tables.wideOnly}>To</Table.Th>
                <Table.Th>Last sent</Table.Th>
                {isOwner && <Table.Th aria-label="Actions" />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {alerts.data.map((alert) => (
                <AlertRow key={alert.id} alert={alert} onChange={() => setOpen(alert)} isOwner={isOwner} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {open !== null && (
        <AlertDialog alert={open === 'new' ? null : open} onSaved={saved} onClose={() => setOpen(null)} />
      )}
    </SettingsPage>
  )
}

interface AlertRowProps {
  alert: Alert
  isOwner: boolean
  onChange: () => void
}

function AlertRow({ alert, isOwner, onChange }: AlertRowProps) {
  const test = useTestAlert(alert.id)
  const words = ruleInWords(alert)
  const refusal = test.isError ? messageOf(test.error) : (test.data?.message ?? null)
  return (
    <Table.Tr>
      <Table.Td className={classes.about}>
        <span className={tables.name}>{words}</span>
        {isAboutFlows(alert.rule) && <div className={classes.detail}>{scopeInWords(alert)}</div>}
        <div className={`${classes.detail} ${classes.narrow}`}>{targetInWords(alert)}</div>
      </Table.Td>
      <Table.Td className={`${tables.cut} ${tables.wideOnly}`} title={targetInWords(alert)}>
        {targetInWords(alert)}
      </Table.Td>
      <Table.Td className={tables.dim}>
        {alert.sentAt ? <RelativeTime at={alert.sentAt} /> : 'Never'}
        {alert.problem !== null && <div className={classes.problem}>{alert.problem}</div>}
        <div role="status">
          {test.data?.sent && <div className={classes.detail}>The test was sent.</div>}
          {refusal !== null && <div className={classes.problem}>The test was not sent. {refusal}</div>}
        </div>
      </Table.Td>
      {isOwner && (
        <Table.Td className={tables.actions}>
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <Button
              size="xs"
              variant="default"
              loading={test.isPending}
              onClick={() => test.mutate()}
              aria-label={`Send a test: ${words}`}
            >
              Send a test
            </Button>
            <Tooltip label="Change">
              <ActionIcon aria-label={`Change: ${words}`} onClick={onChange}>
                <IconPencil size={15} />
              </ActionIcon>
            </Tooltip>
            <Delete alert={alert} words={words} />
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function Delete({ alert, words }: { alert: Alert; words: string }) {
  const remove = useDeleteAlert()
  return (
    <ConfirmPopover
      title="Delete this alert?"
      confirm="Delete alert"
      onConfirm={async () => {
        await remove(alert.id)
        notifyDone('The alert is deleted.')
      }}
      target={(ask) => (
        <Tooltip label="Delete">
          <ActionIcon aria-label={`Delete: ${words}`} onClick={ask}>
            <IconTrash size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    >
      {targetInWords(alert)} is not told any more. Messages that were not sent yet are deleted too.
    </ConfirmPopover>
  )
}
