// The URLs of callbacks that the reply to a delivery gives away. They belong to the run, so they are made once it is stored.
import { callbackUrls } from '../../engine/waits/run-callbacks.ts'
import type { Admission } from './delivery-head.ts'
import type { DeliveryServices } from './services.ts'

type Urls = Readonly<Record<string, unknown>>

/** Returns what stands for the URLs until the run is stored; null if the reply has none. */
export const blankUrls = ({ replyCallbacks }: Admission['trigger']): Urls | null =>
  replyCallbacks.length ? Object.fromEntries(replyCallbacks.map((id) => [id, { url: '' }])) : null

/** Returns the root `callbacks` of the reply that names this run. */
export const replyUrls = (
  { callbacks }: DeliveryServices,
  { flow, trigger, route }: Admission,
  runId: string,
): Promise<Urls> =>
  callbackUrls(
    callbacks,
    { id: runId, flowId: route.flowId },
    trigger.replyCallbacks.map((id) => flow.callbacks!.get(id)!),
    '',
  )
