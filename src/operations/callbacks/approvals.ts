// Approvals: what people are asked, and what they answer.
import { CODE } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { handledBy, shownPath } from '../../engine/ports/run-journal.ts'
import type { CompiledApproval, CompiledCallback } from '../../flow/callbacks/compile.ts'
import { Rejection } from '../deliveries/rejection.ts'
import { notFound, OperationError, TooLate } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { CallbackRecord } from '../ports/callbacks/callbacks.ts'
import type { Page, Paged } from '../ports/page.ts'
import { compiledCallback } from './admit-callback.ts'
import type { CallbackServices } from './services.ts'
import { isClosed, resumeAnswered, type Settled, type SettleServices, settleAnswer } from './settle-answer.ts'

export interface GivenAnswer {
  answer: string
  fields: Record<string, unknown>
}

/** Longer texts are no answers that anybody typed. */
const LONGEST_TEXT = 10_000

const bad = (message: string): Rejection => new Rejection(CODE.bad_request, message)

/** Reads an answer as JSON, or from a form whose fields have a prefix. Throws Rejection if it is not as it has to be. */
export function readAnswer({ answers, fields }: CompiledApproval, body: unknown, isForm: boolean): GivenAnswer {
  if (!isObject(body)) throw bad('Send an object with answer and fields.')
  const { answer } = body
  if (typeof answer !== 'string' || !answers.includes(answer))
    throw bad(`The answer must be one of ${answers.join(', ')}.`)
  const given = isForm ? formFields(body) : body['fields']
  if (given !== undefined && given !== null && !isObject(given)) throw bad('fields must be an object.')
  const values = given ?? {}
  const unknown = Object.keys(values).find((name) => !fields.some((field) => field.name === name))
  if (unknown !== undefined) throw bad(`There is no field "${unknown.slice(0, 100)}".`)
  const read: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : null
    read[field.name] = fieldValue(field, value, isForm)
  }
  return { answer, fields: read }
}

const FORM_PREFIX = 'field.'
export const formName = (name: string): string => FORM_PREFIX + name

const formFields = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name.startsWith(FORM_PREFIX) ? [[name.slice(FORM_PREFIX.length), value]] : [],
    ),
  )

function fieldValue(
  { name, label, type, required }: CompiledApproval['fields'][number],
  given: unknown,
  isForm: boolean,
): unknown {
  // A box that is not ticked is not sent.
  if (type === 'boolean' && isForm) return given !== null && given !== ''
  const isMissing = given === null || given === undefined || given === ''
  if (isMissing && required) throw bad(`${label} is missing: the field "${name}" has to be filled in.`)
  if (isMissing) return null
  const value = type === 'number' && isForm ? Number(given) : given
  const fits =
    type === 'number'
      ? typeof value === 'number' && Number.isFinite(value)
      : type === 'boolean'
        ? typeof value === 'boolean'
        : typeof value === 'string' && value.length <= LONGEST_TEXT
  if (!fits) throw bad(`The field "${name}" must be ${TYPE_WORDS[type]}.`)
  return value
}

const TYPE_WORDS = {
  text: `text of at most ${LONGEST_TEXT} characters`,
  number: 'a number',
  boolean: 'true or false',
} as const

/** Throws Rejection if nobody can answer any more. */
export function giveAnswer(
  services: SettleServices,
  record: CallbackRecord,
  compiled: CompiledCallback,
  { answer, fields }: GivenAnswer,
  by: string,
): Promise<Settled> {
  const data = { answer, fields, by, at: new Date(services.now()).toISOString() }
  const digest = services.hashing.sha256(JSON.stringify([answer, fields]))
  return settleAnswer(services, record, compiled, { data, digest, by })
}

/** Gives the answer and records who gave it, in one transaction. An answer that was given before is not recorded again. */
export const giveRecorded = (
  services: CallbackServices,
  record: CallbackRecord,
  compiled: CompiledCallback,
  given: GivenAnswer,
  by: Pick<Actor, 'id' | 'name'>,
): Promise<Settled> =>
  services.audit.together(async () => {
    const settled = await giveAnswer(services, record, compiled, given, by.name)
    const { run, step } = shownAt(record)
    if (settled !== 'repeated')
      await services.audit.record(
        by,
        'approval.answer',
        { kind: 'run', id: run, name: null },
        { step, answer: given.answer },
      )
    return settled
  })

export interface ApprovalView {
  id: string
  run: string
  step: string
  flow: { id: string; name: string }
  title: string
  text: string
  answers: readonly string[]
  fields: CompiledApproval['fields']
  who: CompiledApproval['who']
  createdAt: string
  expiresAt: string
}

export async function listApprovals(
  services: CallbackServices,
  page: Page,
  among: readonly string[] | null,
): Promise<Paged<ApprovalView>> {
  const { items, nextCursor } = await services.callbacks.openApprovals(page, among)
  const names = await services.flows.names(items.map(({ flowId }) => flowId))
  const views: ApprovalView[] = []
  for (const record of items) {
    const approval = (await compiledCallback(services, record))?.approval
    // The flow was deleted meanwhile, or cannot run: nobody can answer.
    if (!approval || !record.asks) continue
    views.push({
      id: record.id,
      ...shownAt(record),
      flow: { id: record.flowId, name: names.get(record.flowId) ?? '' },
      ...record.asks,
      ...approval,
      createdAt: new Date(record.openedAt!).toISOString(),
      expiresAt: new Date(record.expiresAt!).toISOString(),
    })
  }
  return { items: views, nextCursor }
}

/** What the failure handler of a run waits for is shown as a part of the run. */
const shownAt = ({ runId, path }: CallbackRecord): { run: string; step: string } => ({
  run: handledBy(runId) ?? runId,
  step: shownPath(runId, path),
})

export async function answerApproval(
  services: CallbackServices,
  actor: Actor,
  id: string,
  body: unknown,
): Promise<{ id: string; run: string; answer: string }> {
  const record = await services.callbacks.get(id)
  const compiled = record && (await compiledCallback(services, record))
  if (!record || !compiled?.approval) throw notFound('approval', id)
  const { run } = shownAt(record)
  try {
    if (isClosed(record)) throw new TooLate(TOO_LATE)
    const given = readAnswer(compiled.approval, body, false)
    const settled = await giveRecorded(services, record, compiled, given, actor)
    if (settled === 'repeated') throw new TooLate(TOO_LATE)
    resumeAnswered(services, settled, record)
    return { id, run, answer: given.answer }
  } catch (problem) {
    if (!(problem instanceof Rejection)) throw problem
    if (problem.code === CODE.callback_closed) throw new TooLate(problem.message)
    throw new OperationError(CODE.invalid_request, problem.message)
  }
}

const TOO_LATE = 'This was answered already, or it is too late.'
