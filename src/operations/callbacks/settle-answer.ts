// Decides what becomes of an answer: the first that fits wins, in one transaction with the run that goes on with it.
import { CODE } from '../../base/error-catalogue.ts'
import type { CallbackData } from '../../engine/ports/callbacks.ts'
import { stepBindings } from '../../engine/run-bindings.ts'
import { holds, withCallback } from '../../engine/waits/run-callbacks.ts'
import type { CompiledCallback } from '../../flow/callbacks/compile.ts'
import { Rejection } from '../deliveries/rejection.ts'
import type { CallbackRecord, NewAnswer } from '../ports/callbacks/callbacks.ts'
import { callbackNotFound, closed } from './admit-callback.ts'
import type { CallbackServices } from './services.ts'

/** callback: the run goes on with it; early: kept until the run gets there; filtered: the condition did not take it. */
export type Settled = 'callback' | 'early' | 'filtered' | 'repeated'

const FULL_RETRY_SECONDS = 60

export type SettleServices = Pick<
  CallbackServices,
  'callbacks' | 'ids' | 'now' | 'env' | 'config' | 'connections' | 'hashing'
>

/** Throws Rejection if nobody can answer any more. `byHand`: the condition of the step is not asked. */
export async function settleAnswer(
  services: SettleServices,
  first: CallbackRecord,
  compiled: CompiledCallback,
  given: { data: CallbackData; digest: string; by: string | null; byHand?: boolean },
): Promise<Settled> {
  const { callbacks, ids, now } = services
  const { data, digest, by, byHand = false } = given
  const answer: NewAnswer = { id: ids.next('cbk'), digest, data, receivedAt: now(), by }
  for (let record: CallbackRecord | null = first; record; record = await callbacks.get(record.id)) {
    if (record.state === 'answered') {
      if ((await callbacks.answerOf(record.id))?.digest === digest) return 'repeated'
      throw closed('This was answered already.')
    }
    if (isClosed(record)) throw closed()
    if (record.state === 'early') {
      const kept = await callbacks.keepEarly(record, answer)
      if (kept === 'kept') return 'early'
      if (kept === 'known') return 'repeated'
      if (kept === 'full')
        throw new Rejection(
          CODE.overloaded,
          'Too many callbacks wait for the run already; try again later.',
          FULL_RETRY_SECONDS,
        )
    } else {
      if (!byHand && !(await isTaken(services, record, compiled, data))) return 'filtered'
      if (await callbacks.answer(record, answer)) return 'callback'
    }
  }
  throw callbackNotFound()
}

/** Lets the run of an answer go on, once the answer is durable. */
export function resumeAnswered(
  { queue, meters }: CallbackServices,
  settled: Settled,
  { flowId }: CallbackRecord,
): void {
  if (settled !== 'callback') return
  queue.answered(flowId)
  meters.callback('answered')
}

/** Returns whether nobody can answer any more. */
export const isClosed = ({ state, runStatus }: Pick<CallbackRecord, 'state' | 'runStatus'>): boolean =>
  state === 'timedOut' || state === 'cancelled' || !['queued', 'running', 'waiting'].includes(runStatus)

async function isTaken(
  services: SettleServices,
  record: CallbackRecord,
  { when }: CompiledCallback,
  data: CallbackData,
): Promise<boolean> {
  if (!when) return true
  const { env, config, connections, hashing, now } = services
  const reads = await services.callbacks.reads(record.id)
  const roots = Object.assign(Object.create(null), reads, { env, config, connections: connections.fields })
  return holds(when, stepBindings(withCallback(roots, data), hashing, record.runId, record.path, now()))
}
