// Answers the handshake of a sender, where a trigger has one: before or after authentication, and before the content type counts.
import { CODE } from '../../../base/error-catalogue.ts'
import { callerReply } from '../../../engine/caller-reply.ts'
import type { CallerReply } from '../../../engine/step-kind.ts'
import type { WebhookData } from '../../../engine/webhook-data.ts'
import { type Bindings, ExpressionError } from '../../../flow/expression/index.ts'
import type { CompiledHandshake } from '../../../flow/triggers/webhook/handshake/compile.ts'
import { authBindings, headOnly } from '../auth-bindings.ts'
import { readContent, readSmall } from '../check-body.ts'
import { checkContentType } from '../check-sender.ts'
import { checkCredential, checkSignature, maskCredential, readsContent } from '../credentials.ts'
import { type Admission, queryOf } from '../delivery-head.ts'
import { keepDelivery } from '../keep-delivery.ts'
import { Rejection, wrongMethod } from '../rejection.ts'
import type { DeliveryServices } from '../services.ts'
import { type Later, takeOn } from '../take-on.ts'
import { LARGEST_HANDSHAKE } from './may-be-handshake.ts'

/** Answers the handshake, or makes the checks that are left and takes the delivery on. Throws Rejection. */
export async function shakeHands(
  services: DeliveryServices,
  admission: Admission,
  bytes: Buffer,
): Promise<CallerReply | Later> {
  const { head, trigger } = admission
  const content = bytes.length > LARGEST_HANDSHAKE ? null : contentOf(admission, bytes)
  // What is no content of the declared type may still be a handshake, which is known by its head then.
  const webhook = content && !(content instanceof Rejection) ? content : { ...headOnly(head), body: null, rawBody: '' }
  const unsigned = content && handshakeOf(services, admission, webhook, false)
  if (unsigned) return answer(services, admission, webhook, unsigned)
  if (head.method !== 'POST') throw wrongMethod(head.method, trigger.handshakes)
  checkCredential(services, admission)
  if (readsContent(trigger.auth) && content instanceof Rejection) throw content
  const read = content === null || content instanceof Rejection ? null : content
  checkSignature(
    services,
    admission,
    bytes,
    read ?? (readsContent(trigger.auth) ? await readContent(admission, bytes) : null),
  )
  const signed = content && handshakeOf(services, admission, webhook, true)
  if (signed) return answer(services, admission, webhook, signed)
  checkContentType(services, admission)
  if (content instanceof Rejection) throw content
  // Authentication has masked what it found since the query was read.
  return takeOn(services, admission, read ? { ...read, query: queryOf(head) } : await readContent(admission, bytes))
}

function contentOf(admission: Admission, bytes: Buffer): WebhookData | Rejection {
  try {
    return readSmall(admission, bytes)
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}

/** Stands for an answer whose templates fail. */
const UNANSWERED: CallerReply = { status: 200, headers: [], body: undefined }

interface Found {
  handshake: CompiledHandshake
  bindings: Bindings
}

function handshakeOf(
  services: DeliveryServices,
  { trigger, head, flow, route }: Admission,
  webhook: WebhookData,
  signed: boolean,
): Found | null {
  const candidates = trigger.handshakes!.filter((one) => one.method === head.method && one.signed === signed)
  if (!candidates.length) return null
  const bindings = authBindings(services, trigger.sender, head, webhook)
  const roots = bindings.roots as Record<string, unknown>
  roots['flow'] = { id: route.flowId, name: flow.name, version: route.version }
  const handshake = candidates.find((one) => holds(one, bindings))
  return handshake ? { handshake, bindings } : null
}

/** A condition that cannot be evaluated does not hold, nor does one that compares with an empty secret. */
function holds({ when, secrets }: CompiledHandshake, bindings: Bindings): boolean {
  if (secrets.some((path) => isEmpty(bindings.roots, path))) return false
  try {
    return when(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) return false
    throw error
  }
}

function isEmpty(roots: unknown, path: readonly string[]): boolean {
  let value: unknown = roots
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return true
    value = (value as Record<string, unknown>)[name]
  }
  return value === ''
}

async function answer(
  services: DeliveryServices,
  { route, flow, head }: Admission,
  webhook: WebhookData,
  { handshake, bindings }: Found,
): Promise<CallerReply> {
  for (const { value, connection, field } of handshake.keeps)
    await keep(services, connection, field, textOf(value, bindings))
  const reply = callerReply(handshake.reply, bindings, UNANSWERED, () => {})
  if (reply === UNANSWERED)
    throw new Rejection(
      CODE.bad_request,
      'The handshake lacks what its answer needs, or asks for one that is not sent.',
    )
  maskCredential(services, flow, head)
  // Anyone who has the URL may be able to shake hands as often as they like: as with what is refused, not all are kept.
  if (services.rejections.admits(route.flowId, services.now())) {
    const kept = { ...webhook, query: queryOf(head) }
    await keepDelivery(services, route, kept, { outcome: 'handshake', status: reply.status, runId: null })
    await services.rejections.added(route.flowId)
  } else services.meters.delivery('handshake', null)
  return reply
}

function textOf(value: (bindings: Bindings) => unknown, bindings: Bindings): string {
  try {
    const found = value(bindings)
    return typeof found === 'string' ? found : ''
  } catch (error) {
    if (error instanceof ExpressionError) return ''
    throw error
  }
}

/** Throws Rejection if the secret is not kept: whoever sends another one later must not replace the first. */
async function keep(services: DeliveryServices, connection: string, field: string, value: string): Promise<void> {
  const result = value === '' ? 'gone' : await services.handOver(connection, field, value)
  if (result === 'kept' || result === 'known') return
  throw new Rejection(
    CODE.unauthorized,
    'Authentication failed: this handshake is not expected.',
    null,
    result === 'other'
      ? `The sender handed over another secret than before. If that is right, remove ${field} from the connection "${connection}", and let the sender try again.`
      : `The sender handed over a secret that could not be kept: the connection "${connection}" has to exist, and to be of the kind custom.`,
  )
}
