// Reads the body of a delivery that is refused, where its webhook keeps such bodies.
import { mediaType } from '../../engine/webhook-data.ts'
import { isFileType } from '../../flow/formats/file-types.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { DeliveryHead } from '../../operations/deliveries/delivery-head.ts'
import { Upload } from '../../operations/deliveries/files/upload.ts'
import { LARGEST_KEPT_BODY } from '../../operations/deliveries/kept-rejections.ts'
import { liveFlowOf } from '../../operations/deliveries/live-flow.ts'
import { Rejection } from '../../operations/deliveries/rejection.ts'
import type { RouteRecord } from '../../operations/ports/flows.ts'
import type { Services } from '../../operations/services.ts'
import { PlainExchange, type Visit } from './exchange.ts'
import { readBody } from './request.ts'

/** Returns null if the body is not kept. `body`: the body, if it was read before the delivery was refused. */
export async function keptBody(
  services: Services,
  { exchange, hold }: Visit,
  head: DeliveryHead,
  route: RouteRecord,
  body: Buffer | Upload | null,
): Promise<Buffer | null> {
  // A file is no text that could be kept.
  if (body instanceof Upload || isFileType(mediaType(head.metadata.contentType))) return null
  if (head.test || head.method !== 'POST' || !(await keepsRejected(services, route, head))) return null
  if (body) return body.length <= LARGEST_KEPT_BODY ? body : null
  // It is no longer than that, as it came with its head.
  if (exchange instanceof PlainExchange) return exchange.request.body
  const { request, response } = exchange
  // A body that was read in part, or that its sender holds back until it is asked for, is left where it is.
  if (request.readableDidRead || request.destroyed || request.headers.expect !== undefined) return null
  if (head.metadata.contentLength > LARGEST_KEPT_BODY) return null
  return services.rejections.reading(async () => {
    try {
      return await readBody(request, response, head, LARGEST_KEPT_BODY, hold)
    } catch (error) {
      if (error instanceof Rejection) return null
      throw error
    }
  })
}

/** Of a flow that is not published, the draft says it. */
async function keepsRejected(services: Services, route: RouteRecord, head: DeliveryHead): Promise<boolean> {
  try {
    const { trigger } = await liveFlowOf(services, route, head)
    return trigger.kind === WEBHOOK && trigger.keepsRejected
  } catch (error) {
    if (error instanceof Rejection) return false
    throw error
  }
}
