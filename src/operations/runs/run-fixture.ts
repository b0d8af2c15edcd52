// Turns a run into a test of its flow: the delivery, the APIs' replies and the results, with placeholders for secrets.
import { CODE } from '../../base/error-catalogue.ts'
import type { Expectation, Fixture, FixtureConnection, FixtureReply, FixtureStub } from '../../flow/fixture.ts'
import { connectionUses } from '../../flow/validate/validate.ts'
import { OperationError } from '../operation-error.ts'
import type { ShownWebhook } from '../ports/deliveries.ts'
import { type RunView, readRunDocument, readWholeRun, type StepView } from './read-runs.ts'
import type { RunServices } from './services.ts'
import { shownRequest } from './shown-request.ts'

/** The marks that replace secrets in what is shown. The URL of a request also has ***. */
const MARKS = /\[secret\]|\[masked\]/
/** Headers that describe the transport, not the event. */
const NOISE =
  /^(host|connection|keep-alive|content-length|accept(-.*)?|user-agent|sec-.*|x-forwarded-.*|x-real-ip|forwarded|via|date)$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

export async function runFixture(services: RunServices, id: string): Promise<Fixture> {
  const run = await readWholeRun(services, id)
  if (run.finishedAt === null) throw new OperationError(CODE.conflict, 'The run has not ended yet.')
  if (!run.webhook)
    throw new OperationError(
      CODE.conflict,
      'A test can be made of a run that a delivery started; this one began in another way.',
    )
  const { document } = await readRunDocument(services, id)
  const text = JSON.stringify(document)
  const requests = run.steps
    .filter((step) => services.kinds.get(step.kind)?.sendsRequest && step.finishedAt !== null)
    .flatMap(requestsOf)
  return {
    now: run.webhook.metadata.receivedAt,
    env: placeholders(text),
    config: variablesIn(services, run.flowId, text),
    connections: connectionsOf(services, document),
    tests: [
      {
        name: `as in ${run.id}`,
        deliver: deliveryOf(run.webhook),
        stubs: stubsOf(requests, text),
        expect: expectationOf(services, run, requests),
      },
    ],
  }
}

function deliveryOf(webhook: ShownWebhook) {
  const plain = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => !NOISE.test(name) && !MARKS.test(value)))
  const query = plain(webhook.query)
  return {
    body: withPlaceholders(webhook.body),
    headers: plain(webhook.headers),
    ...(Object.keys(query).length ? { query } : {}),
    // The credential was not stored.
    authenticated: true,
  }
}

/** Replaces hidden values in data with placeholder texts. */
function withPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlaceholders)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlaceholders(item)]))
  return typeof value === 'string' ? value.split(MARKS).join('placeholder') : value
}

/** Returns a placeholder for every secret of the environment that the document names. */
const placeholders = (text: string): Record<string, string> =>
  Object.fromEntries(namedIn(text, 'env').map((name) => [name, placeholderOf(name)]))

/** Returns the plain variables that the document names: the requests of the run show them. */
function variablesIn({ config, secrets }: RunServices, flowId: string, text: string): Record<string, string> {
  const known = namedIn(text, 'config').filter((name) => config[name] !== undefined)
  return Object.fromEntries(
    known.map((name) => [name, withPlaceholders(secrets.redact(config[name]!, flowId)) as string]),
  )
}

function namedIn(text: string, root: 'env' | 'config'): string[] {
  const names = [...text.matchAll(new RegExp(`\\b${root}(?:\\.|\\[\\s*(?:'|\\\\"))(\\w+)`, 'g'))].map(
    (match) => match[1]!,
  )
  return [...new Set(names)].toSorted()
}

function placeholderOf(name: string): string {
  const words = name.toLowerCase().replaceAll('_', '-')
  return /url|host|endpoint|base/.test(words) ? `https://${words}.example.com` : `${words}-placeholder`
}

function connectionsOf(services: RunServices, document: unknown): Record<string, FixtureConnection> {
  const names = new Set(connectionUses(document, services.kinds).map(({ name }) => name))
  const entries: [string, FixtureConnection][] = []
  for (const name of [...names].toSorted()) {
    const record = services.connections.get(name)
    if (!record) continue
    const secrets = Object.keys(record.secrets ?? {}).map((field) => [field, `${name}-${field}`])
    entries.push([
      name,
      { kind: record.kind, fields: { ...record.fields, ...Object.fromEntries(secrets) }, hosts: record.hosts },
    ])
  }
  return Object.fromEntries(entries)
}

interface Request {
  method: string
  url: string
  body: unknown
  reply: FixtureReply & { headers?: Record<string, string> }
}

/** Returns the requests of a step: one per attempt if it failed; otherwise one, as only the last reply is known. */
function requestsOf(step: StepView): Request[] {
  const shown = shownRequest(step)
  if (!shown) return []
  const { method, url, headers, body } = shown
  const { output, error, attempt } = step
  const isJson = headers.some(({ name, value }) => name.toLowerCase() === 'content-type' && /json/.test(value))
  const request: Request = {
    method,
    url: url.split(/\[secret\]|\*\*\*/).join('*'),
    body: isJson ? body : undefined,
    reply: replyOf(output, error?.code),
  }
  return Array.from({ length: error ? attempt : 1 }, () => request)
}

function replyOf(output: unknown, errorCode: string | undefined): Request['reply'] {
  const reply = output as { status?: number; headers?: Record<string, string>; body?: unknown } | null
  if (reply?.status === undefined) return { error: (errorCode ?? CODE.connection_failed) as FixtureReply['error'] }
  const { status, headers, body } = reply
  if (body === null) return { status, headers }
  const bytes = (body as { base64?: unknown }).base64
  const isBytes = typeof bytes === 'string' && !/json/.test(headers?.['content-type'] ?? '')
  return { status, headers, ...(isBytes ? { base64: bytes } : { body: withPlaceholders(body) }) }
}

function stubsOf(requests: readonly Request[], text: string): FixtureStub[] {
  const grouped = Map.groupBy(requests, ({ method, url }) => `${method} ${url}`)
  return [...grouped.values()].map((same) => {
    const { method, url } = same[0]!
    const replies = same.map(({ reply: { headers, ...reply } }) => {
      const kept = Object.entries(headers ?? {}).filter(
        ([name, value]) => (name === 'content-type' || text.includes(name)) && !NOISE.test(name) && !MARKS.test(value),
      )
      return { ...reply, ...(kept.length ? { headers: Object.fromEntries(kept) } : {}) }
    })
    return { method, url, ...(replies.length === 1 ? { reply: replies[0]! } : { replies }) }
  })
}

function expectationOf({ kinds }: RunServices, run: RunView, requests: readonly Request[]): Expectation {
  return {
    status: run.status === 'succeeded' ? 'succeeded' : 'failed',
    ...(run.error ? { error: { code: run.error.code, ...(run.error.step ? { step: run.error.step } : {}) } } : {}),
    ...(Object.keys(run.vars).length ? { vars: loosened(run, run.vars) as Record<string, unknown> } : {}),
    requests: requests.map(({ method, url, body }) => ({
      method,
      url,
      ...(body === undefined ? {} : { body: loosened(run, body) }),
    })),
    // Rounds of a loop and branches side by side may overtake one another.
    ...(run.steps.some(({ path, kind }) => path.includes('[') || kinds.get(kind)?.sideBySide)
      ? { unordered: true }
      : {}),
  }
}

/** Replaces hidden values and values that differ in each run, so that the test does not expect them exactly. */
function loosened(run: RunView, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => loosened(run, item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, loosened(run, item)]))
  if (typeof value !== 'string') return value
  if (ISO_TIME.test(value) && value >= run.createdAt && value <= run.finishedAt!) return { $matches: ISO_TIME.source }
  if (!MARKS.test(value) && !value.includes(run.id)) return value
  const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const parts = value.split(new RegExp(MARKS, 'g')).map((part) => part.split(run.id).map(escaped).join('run_\\w+'))
  return { $matches: `^${parts.join('.*')}$` }
}
