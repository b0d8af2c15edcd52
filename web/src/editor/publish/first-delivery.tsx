// Right after publishing: the line that sends a delivery, and the delivery as soon as it comes.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { toCurl } from '../../../../src/flow/curl/to-curl.ts'
import { api } from '../../api/api-client.ts'
import type { InboxEntry, Page } from '../../api/api-types.ts'
import { useEvents } from '../../api/use-events.ts'
import { sampleBody } from '../../flow-model/templates/sample-body.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { SendSample } from '../sender/send-sample.tsx'
import { useSender } from '../sender/use-sender.ts'
import { useEditor } from '../state/editor-context.tsx'
import classes from './publish.module.css'

export function FirstDelivery({ url, publishedAt }: { url: string; publishedAt: string }) {
  const { flow, document, sample } = useEditor()
  const { sender } = useSender()
  const [delivery, setDelivery] = useState<Pick<InboxEntry, 'id' | 'outcome' | 'receivedAt' | 'runId'> | null>(null)
  const command = useMemo(
    () =>
      toCurl({
        method: 'POST',
        url,
        ...credentialOf(document.trigger['auth']),
        body: { kind: 'json', value: (sample?.webhook.body ?? sampleBody(document)) as object },
      }).replace(/ \\\n {2}-L$/, ''),
    [url, document, sample],
  )
  /** What came before the stream was open. */
  const look = () =>
    void api.get<Page<InboxEntry>>('/deliveries', { query: { flow: flow.id, limit: 1 } }).then(
      ({ items: [latest] }) => {
        if (latest && Date.parse(latest.receivedAt) >= Date.parse(publishedAt)) setDelivery(latest)
      },
      // The stream tells of the next one.
      () => {},
    )
  useEvents(
    `/flows/${flow.id}/events`,
    ({ type, data }) => {
      if (type === 'delivery') setDelivery(data as InboxEntry)
    },
    look,
    look,
  )
  return (
    <section className={classes.first} aria-label="First delivery">
      {sender ? (
        <SendSample sender={sender} live />
      ) : (
        <div className={classes.command}>
          <code>{command}</code>
          <CopyButton value={command} label="Copy the curl command" />
        </div>
      )}
      <div role="status">
        {delivery ? (
          <span className={classes.arrived}>
            <StatusDot status={delivery.outcome} word={`Delivery ${delivery.outcome}`} />
            <Text size="xs" c="dimmed" span>
              <RelativeTime at={delivery.receivedAt} />
            </Text>
            {delivery.runId ? (
              <Link to="/runs/$id" params={{ id: delivery.runId }}>
                See its run
              </Link>
            ) : (
              <Link to="/flows/$id/inbox" params={{ id: flow.id }} search={{ delivery: delivery.id }}>
                See the delivery
              </Link>
            )}
          </span>
        ) : (
          <span className={classes.awaited}>
            <span className={classes.pulse} aria-hidden="true" />
            Waiting for the first delivery…
          </span>
        )}
      </div>
    </section>
  )
}

/** A place for what the caller has to know, which is never shown here. */
function credentialOf(auth: unknown): { headers?: Pair[]; query?: Pair[] } {
  const { kind, name } = (auth ?? {}) as { kind?: string; name?: string }
  const pair = { name: name ?? '', value: 'YOUR-SECRET' }
  return kind === 'header' ? { headers: [pair] } : kind === 'query' ? { query: [pair] } : {}
}

interface Pair {
  name: string
  value: string
}
