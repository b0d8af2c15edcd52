// `millrace listen`: sends the deliveries of a flow on to a program on this machine, as they come.
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient } from '../../client/api-client.ts'
import type { Delivery, Flow } from '../../client/bodies.ts'
import { findFlow } from '../../client/find-flow.ts'
import { type Context, defineCommand, text } from '../../command.ts'
import { CliError, EXIT, usageError } from '../../exit-code.ts'
import { showTime } from '../../terminal/show-time.ts'
import { inOneLine, visibleJson } from '../../terminal/visible.ts'
import { forward, type Listened } from './forward.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** Deliveries that came while the stream was interrupted: at most so many are sent on afterwards. */
const MOST_MISSED = 100
/** How many ids are remembered, so that none is sent on twice. */
const MOST_REMEMBERED = 1_000

type Listening = Pick<Context<unknown>, 'terminal' | 'wantsJson' | 'note'> & {
  api: ApiClient
  flow: Flow
  target: URL
  /** Ends with Ctrl+C. */
  stop: AbortSignal
  forwarded: Set<string>
}

export const listen = defineCommand({
  name: 'listen',
  summary: 'Send the deliveries of a flow on to a program on this machine, as they come',
  args: ['<flow>'],
  options: { forward: text('url', 'where the program listens: http://127.0.0.1:3000/hook') },
  details:
    'Takes what the flow takes on, at its URL and its test URL, with the original headers and body, one after the other. The header that authenticates the sender is included for tokens of the scope admin, otherwise it is masked. The flow runs as ever, and its sender gets the reply of the flow. Reconnects by itself, and ends with Ctrl+C.',
  examples: [['to a program under development', 'millrace listen Hello --forward http://127.0.0.1:3000/hook']],
  async run(context) {
    const { connect, args, options, terminal, wantsJson, note } = context
    const target = targetFrom(options.forward)
    const api = await connect()
    if (api.isIdle)
      throw new CliError(
        EXIT.unreachable,
        'not_running',
        'No server runs on this data folder, so nothing comes in. Start "millrace serve", or name a server with --server.',
      )
    const flow = await findFlow(api, args[0]!)
    if (!flow.webhook) throw usageError(`${flow.name} has no webhook: its trigger has another kind`)
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    try {
      await stayConnected({
        terminal,
        wantsJson,
        note,
        api,
        flow,
        target,
        stop: stopping.signal,
        forwarded: new Set(),
      })
    } finally {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    }
    return EXIT.ok
  },
})

function targetFrom(given: string | undefined): URL {
  if (given === undefined) throw usageError('Say where to send deliveries: --forward http://127.0.0.1:3000/hook')
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw usageError(`--forward takes a URL such as http://127.0.0.1:3000/hook, not "${given}".`)
  return new URL(given)
}

/** Resolves when it is stopped. Throws what trying again cannot mend. */
async function stayConnected(listening: Listening): Promise<void> {
  const { stop, note } = listening
  let since: string | null = null
  let pauseMs = FIRST_PAUSE_MS
  while (!stop.aborted) {
    try {
      for await (const received of stream(listening, since)) {
        since = received
        pauseMs = FIRST_PAUSE_MS
      }
      if (!stop.aborted) note('The server ended the stream; connecting again.')
    } catch (error) {
      if (stop.aborted) return
      if (error instanceof CliError && error.exit !== EXIT.unreachable) throw error
      // Before the first connection there is nothing to go back to.
      if (since === null) throw error
      note(`The stream was interrupted (${(error as Error).message}); connecting again.`)
    }
    await pause(pauseMs, undefined, { signal: stop }).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Yields the time up to which everything was sent on. `since`: that of the stream before, null at first. */
async function* stream(listening: Listening, since: string | null): AsyncGenerator<string> {
  const { api, flow, target, note, stop } = listening
  for await (const { type, data } of api.events(`/flows/${flow.id}/deliveries/listen`, stop)) {
    if (type === 'listening') {
      note(`Listening to ${flow.name}; deliveries go to ${target.href}. Ctrl+C ends it.`)
      if (data.masked && since === null)
        note('The header that authenticates senders is masked: this token does not have the scope admin.')
      if (since !== null) await sendMissed(listening, since)
      yield data.at
    } else if (type === 'dropped') {
      note(`The program was too slow: ${data.count} not sent on (the inbox has them).`)
    } else if (type === 'delivery') {
      await sendOn(listening, data)
      yield data.receivedAt
    }
  }
}

async function sendOn({ terminal, wantsJson, target, stop, forwarded }: Listening, delivery: Listened): Promise<void> {
  if (forwarded.has(delivery.id)) return
  remember(forwarded, delivery.id)
  const answer = await forward(target, delivery, stop)
  const { id, outcome, receivedAt } = delivery
  if (wantsJson) {
    terminal.out(visibleJson({ id, outcome, receivedAt, ...answer }))
    return
  }
  const fits = 'status' in answer && answer.status < 400
  const said = 'status' in answer ? [answer.status, ...(fits ? [] : [answer.text])].join(' ').trim() : answer.problem
  terminal.out(
    `${showTime(receivedAt)}  ${outcome.padEnd(9)}  ${id}  ${terminal.style(fits ? 'green' : 'red', inOneLine(said))}  ${answer.tookMs} ms`,
  )
}

function remember(forwarded: Set<string>, id: string): void {
  forwarded.add(id)
  if (forwarded.size > MOST_REMEMBERED) forwarded.delete(forwarded.values().next().value!)
}

const TAKEN_ON = new Set(['accepted', 'duplicate', 'filtered'])

/** Sends on what came meanwhile, as the inbox has it. */
async function sendMissed(listening: Listening, since: string): Promise<void> {
  const { api, flow, note, forwarded, stop } = listening
  const latest = await api.list<Delivery>(`/deliveries?flow=${flow.id}`, MOST_MISSED)
  const missed = latest.filter(
    ({ id, receivedAt, outcome }) => receivedAt >= since && TAKEN_ON.has(outcome) && !forwarded.has(id),
  )
  if (missed.length === 0) return
  note(`${missed.length} came meanwhile; they are sent on as the inbox has them, with secrets masked.`)
  for (const { id } of missed.toReversed()) {
    if (stop.aborted) return
    const { webhook, ...facts } = await api.get<Delivery & { webhook: StoredWebhook }>(`/deliveries/${id}`)
    const body = await api.fetch('GET', `/api/v1/deliveries/${id}/body`, {})
    await sendOn(listening, {
      ...facts,
      method: webhook.metadata.method,
      query: new URLSearchParams(webhook.query).toString(),
      headers: Object.entries(webhook.headers),
      body: await body.text(),
      masked: true,
    })
  }
}

interface StoredWebhook {
  query: Record<string, string>
  headers: Record<string, string>
  metadata: { method: string }
}
