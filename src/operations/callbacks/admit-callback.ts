// Makes the checks of a webhook, in the same order, on a request to a callback.
import { CODE } from '../../base/error-catalogue.ts'
import { FlowUnusable } from '../../engine/engine.ts'
import type { CompiledCallback } from '../../flow/callbacks/compile.ts'
import type { KeptData } from '../../flow/document.ts'
import { checkContentType, readSecrets } from '../deliveries/check-sender.ts'
import { type Authenticated, checkCredential } from '../deliveries/credentials.ts'
import type { DeliveryHead } from '../deliveries/delivery-head.ts'
import { crowded, Rejection } from '../deliveries/rejection.ts'
import type { CallbackRecord } from '../ports/callbacks/callbacks.ts'
import type { CallbackServices } from './services.ts'

export interface AdmittedCallback extends Authenticated {
  record: CallbackRecord
  compiled: CompiledCallback
  trigger: CompiledCallback
}

export const callbackNotFound = (): Rejection =>
  new Rejection(CODE.callback_not_found, 'There is no callback at this URL. It may have been given a new one.')

export const closed = (message = 'This was answered already, or it is too late.'): Rejection =>
  new Rejection(CODE.callback_closed, message)

/** Throws Rejection if a check fails. `crowdedOut`: more comes in than can be stored. */
export async function admitCallback(
  services: CallbackServices,
  head: DeliveryHead,
  record: CallbackRecord | null,
  crowdedOut: boolean,
): Promise<AdmittedCallback> {
  if (!record) throw callbackNotFound()
  if (head.method !== 'POST')
    throw new Rejection(CODE.method_not_allowed, 'A callback takes POST requests; this was another method.')
  const waitSeconds = services.rate.take(`callback/${record.id}`, services.now())
  if (waitSeconds !== null)
    throw new Rejection(
      CODE.rate_limited,
      `Too many requests to this callback; try again in ${waitSeconds} s.`,
      waitSeconds,
    )
  if (crowdedOut) throw crowded()
  const compiled = await compiledCallback(services, record)
  if (!compiled) throw closed()
  const route = { webhookId: '', flowId: record.flowId, version: record.version, paused: false }
  const admitted = { record, compiled, trigger: compiled, head, route }
  if (compiled.connections.length) await readSecrets(services, compiled.connections, record.flowId)
  checkCredential(services, admitted)
  checkContentType(services, admitted)
  return admitted
}

/** Returns what the flow says about a callback; null if the flow is gone or cannot run. */
export async function compiledCallback(
  { published }: Pick<CallbackServices, 'published'>,
  record: CallbackRecord,
): Promise<CompiledCallback | null> {
  try {
    return (await published.forRun(record)).callbacks?.get(record.step) ?? null
  } catch (error) {
    if (error instanceof FlowUnusable) return null
    throw error
  }
}

/** Returns which runs of the flow keep their data; none if the flow is gone or cannot run. */
export async function keptDataOf(
  { published }: Pick<CallbackServices, 'published'>,
  record: CallbackRecord,
): Promise<KeptData> {
  try {
    return (await published.forRun(record)).keptData
  } catch (error) {
    if (error instanceof FlowUnusable) return 'never'
    throw error
  }
}
