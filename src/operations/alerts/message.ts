// The message of an alert: the JSON that a webhook gets, and the text of an e-mail.
import { createHmac } from 'node:crypto'
import type { AlertRule } from '../../base/alert-rules.ts'
import type { AlertBody, AlertItem, AlertRecord } from '../ports/alerts/alerts.ts'

const WORDS: Record<AlertRule, (item: AlertItem, name: string) => string> = {
  first_failure: (_, name) => `A run of ${name} failed`,
  failures: ({ count }, name) => `${count} runs of ${name} failed`,
  recovered: (_, name) => `${name} succeeds again`,
  rejections: ({ count }, name) => `${count} deliveries to ${name} were rejected in a row`,
  schedule_late: ({ note, count }, name) =>
    note === 'missed' ? `${name} missed ${count} of its planned times` : `A planned run of ${name} is late`,
  reconnect: ({ note }) => `The connection ${note ?? ''} must be connected again`,
  certificate_expires: ({ note }) => certificateText(note),
  queue_age: ({ note }) => `Runs wait for their turn for ${note ?? 'long'}`,
  storage: ({ note }) => `The database is in trouble: ${note ?? 'it cannot be written'}`,
}

/** The note is the name of the connection and the day. */
function certificateText(note: string | null): string {
  const [name = '', day = 'soon'] = note?.split(' ') ?? []
  return `The client certificate of the connection ${name} expires on ${day}`
}

export interface MessageView {
  id: string
  alert: string
  rule: AlertRule
  text: string
  at: string
  count: number
  digest: boolean
  flow: { id: string; name: string | null } | null
  run: string | null
  link: string
  items: {
    text: string
    count: number
    flow: { id: string; name: string | null } | null
    run: string | null
    link: string
  }[]
}

export function messageView(
  id: string,
  { id: alert, rule }: Pick<AlertRecord, 'id' | 'rule'>,
  { digest, count, items, test }: AlertBody,
  names: ReadonlyMap<string, string>,
  baseUrl: string,
): MessageView {
  const shown = items.map((item) => {
    const name = item.flowId === null ? null : (names.get(item.flowId) ?? null)
    return {
      text: WORDS[rule](item, name === null ? 'a flow' : `"${name}"`),
      count: item.count,
      flow: item.flowId === null ? null : { id: item.flowId, name },
      run: item.runId,
      link: baseUrl + PLACES[rule](item),
    }
  })
  const last = shown.at(-1)!
  const { flow, run, link } = last
  const said = digest && count > 1 ? `${count} times: ${last.text}` : last.text
  const text = test ? 'This is a test of an alert' : said
  const at = new Date(items.at(-1)!.at).toISOString()
  return { id, alert, rule, text, at, count, digest, flow, run, link, items: shown }
}

/** The page where what the alert tells of is put right. A test may name no flow, run or connection. */
const PLACES: Record<AlertRule, (item: AlertItem) => string> = {
  first_failure: ({ flowId }) => failuresOf(flowId),
  failures: ({ flowId }) => failuresOf(flowId),
  recovered: ({ flowId, runId }) => (runId === null ? failuresOf(flowId) : `/runs/${runId}`),
  rejections: ({ flowId }) => (flowId === null ? '/inbox?outcome=rejected' : `/flows/${flowId}/inbox?outcome=rejected`),
  schedule_late: ({ flowId }) => (flowId === null ? '/flows' : `/flows/${flowId}?trigger=true`),
  reconnect: ({ note }) => (note === null ? '/connections' : `/connections/${encodeURIComponent(note)}`),
  certificate_expires: ({ note }) => (note === null ? '/connections' : `/connections/${note.split(' ')[0]!}`),
  queue_age: () => '/runs?status=queued',
  storage: () => '/settings/service',
}

const failuresOf = (flowId: string | null): string => (flowId === null ? '/failures' : `/failures?flow=${flowId}`)

export function mailText({ items, text, digest, count, link }: MessageView): string {
  if (!digest) return `${text}.\n\n${link}\n`
  const lines = items.map((item) => `- ${item.text} (${item.count})\n  ${item.link}`)
  return `${count} times since the last message:\n\n${lines.join('\n')}\n`
}

/** Returns the headers by which Standard Webhooks prove where a message comes from. */
export function signedHeaders(id: string, body: string, secret: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
