// Runs one test of a flow: delivers, waits for the end of the run, and compares.
import { API_ERRORS } from '../base/error-catalogue.ts'
import type { CallerReply } from '../engine/step-kind.ts'
import { collectPairs, isJsonType, mediaType } from '../engine/webhook-data.ts'
import type { Expectation, FixtureCase, FixtureDelivery, FixtureStub } from '../flow/fixture.ts'
import { bytesAsSent } from '../flow/formats/charsets.ts'
import type { Issue } from '../flow/issue.ts'
import { WEBHOOK } from '../flow/triggers/webhook/schema.ts'
import { checkSender } from '../operations/deliveries/check-sender.ts'
import type { Admission, DeliveryHead } from '../operations/deliveries/delivery-head.ts'
import { takeIn } from '../operations/deliveries/handshake/take-in.ts'
import { keepRejection } from '../operations/deliveries/keep-delivery.ts'
import { notFound, Rejection } from '../operations/deliveries/rejection.ts'
import { Later } from '../operations/deliveries/take-on.ts'
import type { RouteRecord } from '../operations/ports/flows.ts'
import type { RunRecord } from '../operations/ports/runs.ts'
import { type Answered, callTested, isCalled } from './call-tested.ts'
import { fireAt } from './fire.ts'
import { ABSENT, type Difference, differences, textDifference } from './match.ts'
import type { SentRequest } from './stub-client.ts'
import { type OpenTestFile, testUpload, uploadType } from './test-files.ts'
import type { TestRuntime } from './test-runtime.ts'

export interface CaseResult {
  issues: Issue[]
  differences: Difference[]
  /** Requests that no stub answers. */
  unexpected: string[]
  bugs: unknown[]
}

/** What can be seen of one delivery and its run. */
interface Observed extends Omit<Answered, 'runId' | 'delivery' | 'reply'> {
  delivery: string | typeof ABSENT
  /** null: no sender waits for one. */
  reply: CallerReply | null
  run: RunRecord | null
  vars: Record<string, unknown>
  steps: Record<string, unknown>
  onFailure: unknown
  requests: SentRequest[]
}

export async function tryCase(
  runtime: TestRuntime,
  document: unknown,
  test: FixtureCase,
  sharedStubs: readonly FixtureStub[],
  openFile: OpenTestFile,
): Promise<CaseResult> {
  const result: CaseResult = { issues: [], differences: [], unexpected: [], bugs: runtime.bugs }
  const route = await runtime.publish(document)
  if (Array.isArray(route)) return { ...result, issues: route }
  const parts = [{ ...test, after: 0 }, ...(test.next ?? [])]
  for (const [i, part] of parts.entries()) {
    runtime.clock.advanceTo(runtime.clock.now() + (part.after ?? 0) * 1000)
    runtime.http.answerWith([...(part.stubs ?? []), ...sharedStubs])
    runtime.calls.answerWith(part.calls ?? {})
    runtime.callbacks.answerWith(part.callbacks ?? {})
    const prefix = i === 0 ? '' : `next[${i - 1}].`
    const problem = part.fire === undefined ? null : await fireAt(runtime, route, part.fire)
    if (problem) {
      result.differences.push({ ...problem, path: prefix + problem.path })
      continue
    }
    const observed =
      part.fire === undefined ? await setOff(runtime, route, part, openFile) : await observeRun(runtime, NO_DELIVERY)
    for (const difference of compare(part.expect ?? { status: 'succeeded' }, observed))
      result.differences.push({ ...difference, path: prefix + difference.path })
    result.unexpected.push(...runtime.http.unexpected, ...runtime.calls.unexpected)
  }
  return result
}

/** Calls a flow that is called, and delivers to another. */
async function setOff(
  runtime: TestRuntime,
  route: RouteRecord,
  { deliver = {}, input = null }: Pick<FixtureCase, 'deliver' | 'input'>,
  openFile: OpenTestFile,
): Promise<Observed> {
  if (!(await isCalled(runtime, route))) return observe(runtime, route, deliver, openFile)
  const { runId, ...answered } = await callTested(runtime, route, input)
  return withRun(runtime, answered, runId)
}

async function observe(
  runtime: TestRuntime,
  route: RouteRecord,
  delivery: FixtureDelivery,
  openFile: OpenTestFile,
): Promise<Observed> {
  const { services, clock } = runtime
  const hasFiles = uploadType(delivery) !== null
  const text = hasFiles ? '' : (delivery.rawBody ?? bodyText(delivery))
  const body = Buffer.from(bytesAsSent(text, typeOf(delivery)) as string)
  const head = headOf(runtime, route, delivery, body.length)
  let outcome: CallerReply | Rejection
  try {
    const admission = await admit(runtime, route, head, delivery.authenticated === true)
    const { mode, timeoutMs } = admission.trigger
    const givesUpAt = mode === 'finished' ? clock.now() + timeoutMs : Number.POSITIVE_INFINITY
    clock.onAdvance((time) => {
      if (time >= givesUpAt) services.replies.releaseAll()
    })
    const sent = hasFiles ? await testUpload(services, admission, delivery, openFile) : body
    const reply = await takeIn(services, admission, sent)
    outcome = reply instanceof Later ? await reply.reply : reply
  } catch (problem) {
    if (!(problem instanceof Rejection)) throw problem
    await keepRejection(services, route, head, problem, API_ERRORS[problem.code].status)
    outcome = problem
  }
  const seen = await observeRun(runtime, {
    delivery: 'accepted',
    code: outcome instanceof Rejection ? outcome.code : null,
    reply: outcome instanceof Rejection ? refusal(outcome) : outcome,
  })
  return seen.run ? seen : { ...seen, delivery: await latestOutcome(runtime, route) }
}

/** What there is of the delivery where a planned time started the run. */
const NO_DELIVERY: Pick<Observed, 'delivery' | 'code' | 'reply'> = { delivery: ABSENT, code: null, reply: null }

async function observeRun(
  runtime: TestRuntime,
  answered: Pick<Observed, 'delivery' | 'code' | 'reply'>,
): Promise<Observed> {
  const [runId] = await runtime.finished()
  return withRun(runtime, answered, runId)
}

async function withRun(
  runtime: TestRuntime,
  answered: Pick<Observed, 'delivery' | 'code' | 'reply'>,
  runId: string | undefined,
): Promise<Observed> {
  const run = runId === undefined ? null : await runtime.services.runs.get(runId)
  const { vars, steps } = await resultsOf(runtime, runId)
  return { ...answered, run, vars, steps, onFailure: await handlingOf(runtime, runId), requests: runtime.http.sent }
}

async function admit(
  { services }: TestRuntime,
  route: RouteRecord,
  head: DeliveryHead,
  authenticated: boolean,
): Promise<Admission> {
  if (!authenticated) return checkSender(services, head, route, false)
  const flow = await services.published.version(route.flowId, route.version!)
  if (flow.trigger.kind !== WEBHOOK) throw notFound()
  return { route, head, flow, trigger: { ...flow.trigger, auth: { kind: 'none' } } }
}

function bodyText({ body, headers = {} }: FixtureDelivery): string {
  return typeof body === 'string' && !isJsonType(mediaType(typeOf({ headers }))) ? body : JSON.stringify(body ?? {})
}

const typeOf = ({ headers = {} }: Pick<FixtureDelivery, 'headers'>): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'application/json'

function headOf(
  { services }: TestRuntime,
  { webhookId }: RouteRecord,
  delivery: FixtureDelivery,
  contentLength: number,
): DeliveryHead {
  const { headers = {}, query = {}, ip = '127.0.0.1' } = delivery
  const sent = Object.entries(headers)
  const type = uploadType(delivery) ?? 'application/json'
  if (!sent.some(([name]) => name.toLowerCase() === 'content-type')) sent.push(['Content-Type', type])
  const lowerCase: Record<string, string> = Object.create(null)
  for (const [name, value] of sent) lowerCase[name.toLowerCase()] = value
  return {
    webhookId,
    test: false,
    method: 'POST',
    target: `/api/v1/webhooks/${webhookId}`,
    rawHeaders: sent.flat(),
    headers: lowerCase,
    queryAll: collectPairs(Object.entries(query)),
    hops: 0,
    metadata: {
      requestId: services.ids.next('req'),
      receivedAt: new Date(services.now()).toISOString(),
      method: 'POST',
      path: `/api/v1/webhooks/${webhookId}`,
      ip,
      userAgent: lowerCase['user-agent'] ?? null,
      contentType: lowerCase['content-type']!,
      contentLength,
      test: false,
    },
  }
}

const refusal = ({ code, message }: Rejection): CallerReply => ({
  status: API_ERRORS[code].status,
  headers: [],
  body: { status: 'error', code, message },
})

async function latestOutcome({ services }: TestRuntime, { flowId }: RouteRecord): Promise<string> {
  const { items } = await services.deliveries.list({ flowId, outcome: null }, { limit: 1, cursor: null })
  return items[0]!.outcome
}

async function resultsOf({ services }: TestRuntime, runId: string | undefined) {
  const vars: Record<string, unknown> = {}
  const steps: Record<string, unknown> = {}
  for (const entry of runId === undefined ? [] : await services.runs.steps(runId)) {
    if (entry.outcome === 'assign') Object.assign(vars, entry.output)
    steps[entry.path] = entry.output
    steps[entry.id] = entry.output
  }
  return { vars, steps }
}

/** Returns what was done because the run failed. */
async function handlingOf(runtime: TestRuntime, runId: string | undefined): Promise<unknown> {
  const handler = runId === undefined ? null : await runtime.services.runs.handler(runId)
  if (!handler) return ABSENT
  const { steps } = await resultsOf(runtime, handler.id)
  return { status: handler.status, steps, error: handler.error }
}

function compare(expected: Expectation, observed: Observed): Difference[] {
  const { run } = observed
  // For a run that failed unexpectedly, the error says more than the status.
  const found: Difference[] = []
  const check = (key: keyof Expectation, actual: unknown) => {
    if (expected[key] !== undefined) found.push(...differences(expected[key], actual, key))
  }
  check('delivery', observed.delivery)
  check('code', observed.code)
  if (expected.status !== undefined && run?.status !== expected.status)
    found.push({
      path: 'status',
      expected: expected.status,
      actual: run ? (run.error ? { status: run.status, error: run.error } : run.status) : ABSENT,
    })
  check('error', run?.error ?? ABSENT)
  check('vars', observed.vars)
  check('steps', observed.steps)
  check('onFailure', observed.onFailure)
  if (expected.reply && observed.reply) found.push(...compareReply(expected.reply, observed.reply))
  else if (expected.reply) found.push({ path: 'reply', expected: expected.reply, actual: ABSENT })
  if (expected.requests)
    found.push(...compareRequests(expected.requests, observed.requests, expected.unordered === true))
  return found
}

function compareReply(expected: NonNullable<Expectation['reply']>, { status, headers, body }: CallerReply) {
  const sent = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
  return [
    ...('status' in expected ? differences(expected.status, status, 'reply.status') : []),
    ...differences(lowerCaseKeys(expected.headers ?? {}), sent, 'reply.headers'),
    ...('body' in expected ? differences(expected.body, body, 'reply.body') : []),
  ]
}

function compareRequests(
  expected: NonNullable<Expectation['requests']>,
  sent: readonly SentRequest[],
  unordered: boolean,
): Difference[] {
  const actual = unordered ? inOrderOf(expected, sent) : sent
  const found: Difference[] = []
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const path = `requests[${i}]`
    const [want, got] = [expected[i], actual[i]]
    if (want && got) found.push(...compareRequest(want, got, path))
    else found.push({ path, expected: want ?? ABSENT, actual: got ? `${got.method} ${got.url}` : ABSENT })
  }
  return found
}

type ExpectedRequest = NonNullable<Expectation['requests']>[number]

function compareRequest(expected: ExpectedRequest, actual: SentRequest, path: string): Difference[] {
  return [
    ...(expected.method === undefined
      ? []
      : differences(expected.method.toUpperCase(), actual.method, `${path}.method`)),
    ...(expected.url === undefined ? [] : textDifference(expected.url, actual.url, `${path}.url`)),
    ...differences(lowerCaseKeys(expected.headers ?? {}), actual.headers, `${path}.headers`),
    ...('body' in expected ? differences(expected.body, actual.body, `${path}.body`) : []),
  ]
}

/** Each expected request takes the first that fits; what is left over comes last. */
function inOrderOf(expected: readonly ExpectedRequest[], sent: readonly SentRequest[]): SentRequest[] {
  const rest = [...sent]
  const ordered: (SentRequest | undefined)[] = expected.map((want) => {
    const at = rest.findIndex((got) => compareRequest(want, got, '').length === 0)
    return at === -1 ? undefined : rest.splice(at, 1)[0]
  })
  return [...ordered.map((found) => found ?? rest.shift()).filter((found) => found !== undefined), ...rest]
}

const lowerCaseKeys = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]))
