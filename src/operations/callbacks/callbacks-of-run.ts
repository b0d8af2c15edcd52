// The callbacks of a run, for those who look after it: what it waits for, new URLs, and answers by hand.
import { CODE } from '../../base/error-catalogue.ts'
import { handlerIdOf, ON_FAILURE } from '../../engine/ports/run-journal.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { Rejection } from '../deliveries/rejection.ts'
import { notFound, OperationError, TooLate } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { CallbackRecord, ShownAnswers } from '../ports/callbacks/callbacks.ts'
import { SHOWN_BYTES } from '../shown-size.ts'
import { compiledCallback } from './admit-callback.ts'
import { type ApprovalView, giveAnswer, readAnswer } from './approvals.ts'
import type { CallbackServices } from './services.ts'
import { isClosed, resumeAnswered, settleAnswer } from './settle-answer.ts'

export interface CallbackView {
  id: string
  step: string
  kind: 'callback' | 'approval'
  state: 'early' | 'open' | 'answered' | 'timedOut' | 'closed'
  /** Only for those who may edit. */
  url?: string
  title?: string
  /** Of an approval that is open. */
  asks?: Pick<ApprovalView, 'text' | 'answers' | 'fields' | 'who'>
  createdAt: string
  expiresAt: string | null
  answeredAt: string | null
  /** The user who answered, or `link`; null if an outside system did, or nobody. */
  answeredBy: string | null
  /** What the run was answered, also if it was cancelled before it went on. */
  answer?: unknown
  /** What came before the run did and it has not looked at. */
  early?: unknown[]
  /** What is too large to be shown. */
  omitted?: ShownAnswers['omitted']
}

const NOTHING: ShownAnswers = { answer: null, early: [], omitted: [] }

const HANDLERS = `${ON_FAILURE}/`

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** `withUrls`: whether the reader may edit. */
export async function callbacksOfRun(
  services: CallbackServices,
  runId: string,
  withUrls: boolean,
): Promise<CallbackView[]> {
  const { callbacks, secrets } = services
  const handlers = await callbacks.ofRun(handlerIdOf(runId))
  const records = [
    ...(await callbacks.ofRun(runId)),
    ...handlers.map((record) => ({ ...record, path: HANDLERS + record.path })),
  ]
  const ids = records.map(({ id }) => id)
  const tokens = withUrls ? await callbacks.tokens(ids) : null
  const answers = await callbacks.shownAnswers(ids, SHOWN_BYTES)
  return Promise.all(
    records.map(async (record): Promise<CallbackView> => {
      const { id, path, isApproval, state, asks } = record
      const token = tokens?.get(id)
      const { answer, early, omitted } = answers.get(id) ?? NOTHING
      const approval =
        state === 'open' && !isClosed(record) ? (await compiledCallback(services, record))?.approval : null
      return {
        id,
        step: path,
        kind: isApproval ? 'approval' : 'callback',
        state: state !== 'answered' && state !== 'timedOut' && isClosed(record) ? 'closed' : stateOf(state),
        ...(token !== undefined && { url: callbacks.urlOf(token, isApproval) }),
        ...(asks && { title: asks.title }),
        ...(asks && approval && { asks: { text: asks.text, ...approval } }),
        createdAt: iso(record.createdAt)!,
        expiresAt: iso(record.expiresAt),
        answeredAt: state === 'answered' ? iso(record.endedAt) : null,
        answeredBy: state === 'answered' ? answeredBy(record, answer) : null,
        ...(answer && { answer: secrets.redact(answer, record.flowId) }),
        ...(early.length > 0 && { early: early.map((data) => secrets.redact(data, record.flowId)) }),
        ...(omitted.length > 0 && { omitted }),
      }
    }),
  )
}

/** What came before the run waited says itself who it was from, if a person answered. */
const answeredBy = (record: CallbackRecord, answer: ShownAnswers['answer']): string | null =>
  record.answeredBy ?? (record.isApproval && typeof answer?.by === 'string' ? answer.by : null)

const stateOf = (state: CallbackRecord['state']): CallbackView['state'] => (state === 'cancelled' ? 'closed' : state)

/** Gives a callback a new URL, because the old one got into wrong hands. */
export async function renewCallback(
  services: CallbackServices,
  actor: Actor,
  runId: string,
  path: string,
): Promise<{ step: string; url: string }> {
  const record = await findAt(services, runId, path)
  if (record.state === 'answered' || isClosed(record))
    throw new TooLate('Nobody can answer this any more; it needs no new URL.')
  const token = await services.audit.together(async () => {
    const target = { kind: 'run' as const, id: runId, name: null }
    await services.audit.record(actor, 'callback.regenerate', target, { step: path })
    return services.callbacks.renew(record.id)
  })
  return { step: path, url: services.callbacks.urlOf(token, record.isApproval) }
}

/** Answers in place of the one who should: an outside system, or a person. */
export async function answerByHand(
  services: CallbackServices,
  actor: Actor,
  runId: string,
  path: string,
  given: { body: unknown; headers?: Record<string, string> | undefined },
): Promise<{ run: string; step: string }> {
  const record = await findAt(services, runId, path)
  const compiled = await compiledCallback(services, record)
  if (!compiled) throw notFound('callback', path)
  try {
    const settled = await services.audit.together(async () => {
      const target = { kind: 'run' as const, id: runId, name: null }
      await services.audit.record(actor, 'callback.answer', target, { step: path })
      const settled = compiled.approval
        ? await giveAnswer(services, record, compiled, readAnswer(compiled.approval, given.body, false), actor.name)
        : await settleAnswer(services, record, compiled, { ...answerOf(services, given), by: actor.name, byHand: true })
      if (settled === 'repeated') throw new TooLate('This was answered already.')
      return settled
    })
    resumeAnswered(services, settled, record)
  } catch (problem) {
    if (!(problem instanceof Rejection)) throw problem
    if (problem.code === CODE.callback_closed) throw new TooLate(problem.message)
    throw new OperationError(CODE.invalid_request, problem.message)
  }
  return { run: runId, step: path }
}

function answerOf(
  { hashing, now }: CallbackServices,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> | undefined },
) {
  const rawBody = JSON.stringify(body ?? null)
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const receivedAt = new Date(now()).toISOString()
  const data = { body: parseJson(rawBody), headers: lowerCase, query: {}, rawBody, receivedAt }
  return { data, digest: hashing.sha256(rawBody) }
}

async function findAt(services: CallbackServices, runId: string, path: string): Promise<CallbackRecord> {
  // What the failure handler of a run waits for is shown as a part of the run.
  const isHandlers = path.startsWith(HANDLERS)
  const record = isHandlers
    ? await services.callbacks.at(handlerIdOf(runId), path.slice(HANDLERS.length))
    : await services.callbacks.at(runId, path)
  if (!record) throw notFound('callback', `${runId}/${path}`)
  return record
}
