// Sends the request of a step with its credentials: renews an access token that is refused, and answers a challenge.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { parseOutboundUrl } from '../../engine/outbound-rules.ts'
import type { Credential } from '../../engine/ports/connections.ts'
import {
  isBodySource,
  type OutboundBody,
  type OutboundHop,
  type OutboundReply,
  type ReplySink,
} from '../../engine/ports/http-client.ts'
import type { TlsIdentity } from '../../engine/ports/tls.ts'
import type { StepContext } from '../../engine/step-kind.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import { type Signer, signerOf } from './auth/signers.ts'
import { type BuiltRequest, connectionOf } from './build-request.ts'
import type { HttpSettings } from './settings.ts'

export interface Sending {
  context: StepContext<HttpSettings>
  credential: Credential | null
  tls: TlsIdentity | null
  build(credential: Credential | null): BuiltRequest
  into: ReplySink | null
}

export interface Sent {
  reply: OutboundReply
  /** The signatures that were sent, which the run does not show. */
  proofs: readonly string[]
}

const NOTHING: readonly string[] = []

export async function sendRequest(sending: Sending, request: BuiltRequest): Promise<Sent> {
  const { context, credential } = sending
  const body = isCompressed(request.body, context.settings) ? await gzipped(request.body) : request.body
  const connection = connectionOf(context.settings)
  if (connection !== null && (credential?.kind === 'digest' || credential?.kind === 'aws')) {
    const signer = signerOf(credential, connection)
    return { reply: await sendSigned(sending, request, body, signer, connection), proofs: signer.proofs }
  }
  const reply = await send(sending, request, body)
  if (connection === null || credential?.kind !== 'token' || reply.status !== 401 || hasLeft(request, reply))
    return { reply, proofs: NOTHING }
  // The access token is renewed once: an API that refuses a new one too has another reason.
  const renewed = await context.connections.renewed(connection, credential.token)
  if (renewed === null) return { reply, proofs: NOTHING }
  const again = await send(sending, sending.build({ kind: 'token', token: renewed }), body)
  if (again.status === 401) context.connections.refusedAgain(connection, renewed)
  return { reply: again, proofs: NOTHING }
}

/** A larger body is not sent where it is refused for want of a challenge: that is asked for first, without changing anything. */
const LARGEST_REFUSED = 16_384

async function sendSigned(
  sending: Sending,
  request: BuiltRequest,
  body: OutboundBody,
  signer: Signer,
  connection: string,
): Promise<OutboundReply> {
  const { origin } = parseOutboundUrl(request.url)
  let spentMs = 0
  if (signer.asksFirst(origin) && sizeOf(body) > LARGEST_REFUSED) {
    const headers = request.headers.filter(({ name }) => !/^(?:authorization$|content-)/i.test(name))
    const asked = await send({ ...sending, into: null }, { ...request, method: 'HEAD', headers }, null, {
      connection,
      origin,
      followRedirects: false,
    })
    signer.learn(origin, asked)
    spentMs += asked.durationMs
  }
  for (;;) {
    await signer.prepare(origin, body)
    const reply = await send(sending, request, body, { connection, origin, signer, spentMs })
    if (hasLeft(request, reply) || !signer.learn(origin, reply)) return reply
    spentMs += reply.durationMs
  }
}

interface Manner {
  /** The connection whose hosts count, even before there is a signature. */
  connection: string
  origin: string
  signer?: Signer
  /** What earlier requests of the step took of its time. */
  spentMs?: number
  followRedirects?: boolean
}

async function send(
  { context, tls, into }: Sending,
  request: BuiltRequest,
  body: OutboundBody,
  manner: Manner | null = null,
): Promise<OutboundReply> {
  const { settings, hops } = context
  const { method, url, headers } = request
  const signer = manner?.signer
  const sign = signer ? (hop: OutboundHop) => signer.sign(hop) : null
  return context.http.send({
    method,
    url,
    headers: sign ? sign({ url: new URL(url), method, headers, body }) : headers,
    body,
    timeoutMs: Math.max(1, (settings.timeout ?? 30) * 1000 - (manner?.spentMs ?? 0)),
    followRedirects: manner?.followRedirects !== false && settings.followRedirects !== false,
    cookies: settings.cookies === true,
    tls,
    hops,
    signal: context.signal(),
    room: context.replyRoom(),
    standing: context.standing(),
    into,
    sign,
    check: (hop) => {
      const named = () => [
        ...(hop.url.href === URL.parse(url)?.href ? request.named.url : []),
        ...hop.headers.flatMap((header) => header.named ?? []),
        ...(manner && hop.url.origin === manner.origin ? [manner.connection] : []),
        ...(hop.body === null ? [] : request.named.body),
        ...(hop.tls ? [hop.tls.connection] : []),
      ]
      context.connections.checkHost(hop.url, () => textsOf(hop, request.text, settings), named)
    },
  })
}

const isCompressed = (body: OutboundBody, { compress }: HttpSettings): body is string | Uint8Array =>
  body !== null && !isBodySource(body) && compress !== undefined

/** Compresses in a thread, to the same bytes at every resend. */
const gzipped: (body: string | Uint8Array) => Promise<Buffer> = promisify(gzip)

const sizeOf = (body: OutboundBody): number =>
  body === null ? 0 : isBodySource(body) ? body.size : Buffer.byteLength(body)

/** Returns whether the reply came from another origin, which got no credentials. */
const hasLeft = (request: BuiltRequest, reply: OutboundReply): boolean =>
  reply.redirects > 0 && new URL(request.url).origin !== new URL(reply.url).origin

/** Yields the texts of a request, as sent and as in the settings: a short secret is found only if it is a whole text. */
function* textsOf({ url, headers, body }: OutboundHop, text: string | null, settings: HttpSettings): Iterable<string> {
  yield url.href
  for (const { name, value } of headers) {
    yield name
    yield value
  }
  if (body !== null) {
    if (text !== null) yield text
    yield* leavesOf(settings.body)
  }
  // A redirect to another origin drops the auth, like every credential.
  if (headers.some(({ credential }) => credential)) yield* leavesOf(settings.auth)
  for (const [, value] of formPairs(url.search.slice(1))) yield value
}

function* leavesOf(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* leavesOf(item)
    }
}
