// What the templates read that decide on who sends: of the trigger, and of the file of its sender.
import { BareObject } from '../../base/bare-object.ts'
import { type Roots, stepBindings } from '../../engine/run-bindings.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import type { Bindings } from '../../flow/expression/index.ts'
import type { CompiledWebhook } from '../../flow/triggers/webhook/compile.ts'
import { type DeliveryHead, queryOf } from './delivery-head.ts'
import type { DeliveryServices } from './services.ts'

/** `webhook`: what is known of the request; null if no template reads it. */
export function authBindings(
  services: Pick<DeliveryServices, 'config' | 'connections' | 'env' | 'hashing' | 'webhookBaseUrl'>,
  sender: CompiledWebhook['sender'],
  head: DeliveryHead,
  webhook: object | null,
): Bindings {
  const roots: Roots = new BareObject()
  roots['env'] = services.env
  roots['config'] = services.config
  roots['connections'] = services.connections.fields
  const bindings = stepBindings(roots, services.hashing, '', '', 0)
  if (sender) {
    const fields = sender.fields(bindings)
    roots['fields'] = fields
    roots['url'] = urlOf(services.webhookBaseUrl, fields.url, head.target)
  }
  if (webhook) roots['webhook'] = webhook
  return bindings
}

/** Returns the URL that the sender was given, with the query that it called it with. */
function urlOf(base: string, given: unknown, target: string): string {
  if (typeof given !== 'string') return base + target
  const question = target.indexOf('?')
  return question === -1 || given.includes('?') ? given : given + target.slice(question)
}

/** Returns a request whose body nobody has read as text yet. */
export const headOnly = (head: DeliveryHead): Omit<WebhookData, 'body' | 'rawBody'> => ({
  headers: head.headers,
  query: queryOf(head),
  queryAll: head.queryAll,
  metadata: head.metadata,
})
