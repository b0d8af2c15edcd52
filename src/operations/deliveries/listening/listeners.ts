// Hands deliveries as they came to whoever listens to a flow (`millrace listen`). Nothing of it is stored.
import type { WebhookData } from '../../../engine/webhook-data.ts'
import { type Events, type FlowEvent, listenTopic } from '../../events/events.ts'
import type { DeliveryOutcome } from '../../ports/deliveries.ts'
import { MASKED } from '../credentials.ts'
import type { Admission, DeliveryHead } from '../delivery-head.ts'
import type { DeliveryServices } from '../services.ts'

/** What is listened to: deliveries that were taken on, and those to the test URL. */
type HeardOutcome = Extract<DeliveryOutcome, 'accepted' | 'duplicate' | 'filtered'> | 'sample'

/** A delivery as it stands in memory, before it is shaped for a listener. */
interface Heard {
  id: string
  outcome: HeardOutcome
  runId: string | null
  head: DeliveryHead
  rawBody: string
}

/** A delivery as a listener gets it. */
interface Listened {
  id: string
  receivedAt: string
  outcome: HeardOutcome
  runId: string | null
  method: string
  /** Without the question mark. */
  query: string
  /** Names and values in order, as on the wire. */
  headers: [name: string, value: string][]
  body: string
  /** What authenticates the sender, and other secrets, are not shown. */
  masked: boolean
}

/** Costs a lookup while nobody listens. */
export function tellListeners(
  { events }: Pick<DeliveryServices, 'events'>,
  { route, head }: Pick<Admission, 'route' | 'head'>,
  { rawBody }: WebhookData,
  what: Pick<Heard, 'id' | 'outcome' | 'runId'>,
): void {
  if (!events.anybody) return
  const topic = listenTopic(route.flowId)
  if (!events.watched(topic)) return
  const heard: Heard = { ...what, head, rawBody }
  events.emit(topic, { type: 'delivery', data: heard })
}

/** Returns the deliveries of a flow as events. `seesSecrets`: with what authenticates their senders. */
export function listenedDeliveries(
  services: DeliveryServices,
  flowId: string,
  seesSecrets: boolean,
): Pick<Events, 'subscribe' | 'relay'> {
  const { events } = services
  const shaped = async ({ type, data }: FlowEvent): Promise<Listened | null> => {
    if (type === 'delivery') return shapeHeard(services, flowId, data as Heard, seesSecrets)
    // Another process took it, so it is known only as it is stored.
    const { id } = data as { id: string }
    return type === 'sample' ? readSample(services, flowId, id) : readStored(services, flowId, id)
  }
  return {
    relay: events.relay,
    subscribe(topic, listener) {
      if (topic !== listenTopic(flowId)) return events.subscribe(topic, listener)
      return events.subscribe(topic, (event) => {
        shaped(event).then(
          (data) => data && listener({ type: 'delivery', data }),
          (error: unknown) => services.warn('a delivery could not be shown to a listener', { reason: String(error) }),
        )
      })
    },
  }
}

function shapeHeard(
  { secrets }: DeliveryServices,
  flowId: string,
  { head, rawBody, ...what }: Heard,
  seesSecrets: boolean,
): Listened {
  const facts = { ...what, receivedAt: head.metadata.receivedAt, method: head.method }
  if (seesSecrets)
    return {
      ...facts,
      query: head.target.split('?').slice(1).join('?'),
      headers: headersOf(head, false),
      body: rawBody,
      masked: false,
    }
  const shown = { query: queryText(head.queryAll), headers: headersOf(head, true), body: rawBody }
  return { ...facts, ...secrets.redact(shown, flowId), masked: true }
}

/** Millrace's own cookies, which the head has not any more, are nobody's business. */
function headersOf({ rawHeaders, headers }: DeliveryHead, masked: boolean): [string, string][] {
  const sent: [string, string][] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const known = headers[name.toLowerCase()]
    if (known === undefined) continue
    const isCookie = name.toLowerCase() === 'cookie'
    sent.push([name, isCookie || (masked && known === MASKED) ? known : rawHeaders[i + 1]!])
  }
  return sent
}

const queryText = (queryAll: Readonly<Record<string, readonly string[]>>): string =>
  new URLSearchParams(
    Object.entries(queryAll).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  ).toString()

const TAKEN_ON = new Set<string>(['accepted', 'duplicate', 'filtered'])

async function readStored(services: DeliveryServices, flowId: string, id: string): Promise<Listened | null> {
  const delivery = await services.deliveries.get(id)
  if (!delivery || !TAKEN_ON.has(delivery.outcome)) return null
  const { outcome, runId } = delivery
  return shapeStored(services, flowId, delivery.webhook, { id: delivery.id, outcome: outcome as HeardOutcome, runId })
}

async function readSample(services: DeliveryServices, flowId: string, id: string): Promise<Listened | null> {
  const sample = (await services.samples.list(flowId)).find((one) => one.id === id)
  return sample ? shapeStored(services, flowId, sample.webhook, { id, outcome: 'sample', runId: null }) : null
}

const shapeStored = (
  { secrets }: DeliveryServices,
  flowId: string,
  { headers, queryAll, rawBody, metadata }: WebhookData,
  what: Pick<Heard, 'id' | 'outcome' | 'runId'>,
): Listened => ({
  ...what,
  receivedAt: metadata.receivedAt,
  method: metadata.method,
  ...secrets.redact({ query: queryText(queryAll), headers: Object.entries(headers), body: rawBody }, flowId),
  masked: true,
})
