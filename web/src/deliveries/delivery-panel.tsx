// One delivery: what became of it, what the caller got, and what it brought.

import { Anchor, Button, Skeleton, Tooltip } from '@mantine/core'
import { IconFlask, IconInbox } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, urlOf } from '../api/api-client.ts'
import type { Delivery, Sample } from '../api/api-types.ts'
import { deliveryCurl } from '../api/delivery-curl.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { editorLink } from '../runs/actions/editor-link.ts'
import classes from '../runs/panel/panel.module.css'
import { PanelHead } from '../runs/panel/panel-head.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { WebhookView } from '../ui/data/webhook-view.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatMoment } from '../ui/format.ts'
import { StatusDot } from '../ui/status.tsx'
import { AdmitButton } from './admit-button.tsx'
import own from './delivery-panel.module.css'
import { callerGot, deliveryAdvice, deliveryReason, wasAdmitted } from './model/delivery-words.ts'

export function DeliveryPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useQuery(queries.delivery(id))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel from anywhere in it
    <div className={classes.panel} onKeyDown={(event) => event.key === 'Escape' && onClose()}>
      <PanelHead
        icon={<IconInbox size={17} aria-hidden="true" />}
        title={delivery.data?.flowName ?? (delivery.data ? 'Deleted flow' : 'Delivery')}
        status={delivery.data && <StatusDot status={delivery.data.outcome} />}
        onClose={onClose}
      />
      <div className={classes.scroll}>
        {delivery.isPending && <Skeleton height={240} />}
        {delivery.isError && (
          <ErrorNote
            title="The delivery could not be loaded"
            error={delivery.error}
            hint="Deliveries are deleted when their retention ends."
            onRetry={() => void delivery.refetch({ cancelRefetch: true })}
          />
        )}
        {delivery.data && <DeliveryView delivery={delivery.data} />}
      </div>
    </div>
  )
}

function DeliveryView({ delivery }: { delivery: Delivery }) {
  const { metadata } = delivery.webhook as { metadata: { ip?: string; contentType?: string | null } }
  const isRejected = delivery.outcome === 'rejected'
  const bodyKept = !isRejected || delivery.bodyKept === true
  return (
    <>
      <div className={own.reason} data-bad={isRejected || undefined}>
        <div>
          {delivery.code && <code className={classes.code}>{delivery.code}</code>}
          {deliveryReason(delivery)}
        </div>
        <p>{deliveryAdvice(delivery)}</p>
        {wasAdmitted(delivery) && <p>Somebody admitted it later.</p>}
      </div>
      <dl className={classes.facts}>
        <Fact name="Received">{formatMoment(Date.parse(delivery.receivedAt))}</Fact>
        {delivery.event !== null && <Fact name="Event">{delivery.event}</Fact>}
        <Fact name="Reply">{callerGot(delivery)}</Fact>
        {metadata.ip && <Fact name="From">{metadata.ip}</Fact>}
        {metadata.contentType && <Fact name="Type">{metadata.contentType}</Fact>}
        {delivery.flowName !== null && (
          <Fact name="Flow">
            <Anchor component={Link} size="xs" {...editorLink(delivery.flowId)}>
              {delivery.flowName}
            </Anchor>
          </Fact>
        )}
        {delivery.runId && (
          <Fact name={delivery.outcome === 'duplicate' ? 'First run' : 'Run'}>
            <Anchor component={Link} size="xs" to={`/runs/${delivery.runId}`}>
              Open the run
            </Anchor>
          </Fact>
        )}
      </dl>
      <Actions delivery={delivery} bodyKept={bodyKept} />
      <WebhookView
        webhook={delivery.webhook}
        bodyUrl={urlOf(`/deliveries/${delivery.id}/body`)}
        bodyKept={bodyKept}
        // A credential that is missing or wrong would be there.
        opensOn={delivery.code === 'unauthorized' ? 'headers' : 'body'}
      />
    </>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Actions({ delivery, bodyKept }: { delivery: Delivery; bodyKept: boolean }) {
  const client = useQueryClient()
  const mayWrite = useMay('flows:write')
  const settings = useQuery(queries.settings)
  const sample = useMutation({
    mutationFn: () => api.post<Sample>(`/flows/${delivery.flowId}/samples`, { delivery: delivery.id }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.samples(delivery.flowId) }),
  })
  const why = !mayWrite
    ? 'You may read. Keeping samples needs the role editor.'
    : delivery.flowName === null
      ? 'The flow was deleted.'
      : delivery.webhook.dataDeleted
        ? 'The flow does not keep the data of deliveries, so this one makes no sample.'
        : bodyKept
          ? null
          : 'The body of a rejected delivery is not kept, so it makes no sample. The trigger can keep it: inbox.keepRejected.'
  const isAdmissible = delivery.bodyKept === true && delivery.runId === null && delivery.flowName !== null
  return (
    <>
      {isAdmissible && mayWrite && <AdmitButton delivery={delivery} />}
      <div className={own.actions}>
        <Tooltip label={why} disabled={why === null}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFlask size={14} />}
            loading={sample.isPending}
            data-disabled={why !== null || undefined}
            aria-disabled={why !== null || undefined}
            onClick={() => why === null && sample.mutate()}
          >
            Use as sample
          </Button>
        </Tooltip>
        {settings.data && !delivery.webhook.bodyOmitted && !delivery.webhook.dataDeleted && (
          <CopyButton
            size="xs"
            withLabel
            label="Copy as cURL"
            value={() => deliveryCurl(delivery.webhook, settings.data.webhookBaseUrl)}
          />
        )}
      </div>
      {why !== null && <p className={own.why}>{why}</p>}
      {sample.isSuccess && (
        <p className={own.done} role="status">
          Kept as the latest sample of the flow.{' '}
          <Anchor component={Link} size="sm" {...editorLink(delivery.flowId, { trigger: true })}>
            Open in the editor
          </Anchor>
        </p>
      )}
      {sample.isError && <ErrorNote title="The sample could not be kept" error={sample.error} />}
    </>
  )
}
