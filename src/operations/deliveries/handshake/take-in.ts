import { LoopTurns } from '../../../base/waiting.ts'
import type { CallerReply } from '../../../engine/step-kind.ts'
import { weighInTurns } from '../../../flow/json/weigh.ts'
import { checkBody } from '../check-body.ts'
import type { Admission } from '../delivery-head.ts'
import { checkUpload } from '../files/check-upload.ts'
import { Upload } from '../files/upload.ts'
import type { DeliveryServices } from '../services.ts'
import { type Later, takeOn } from '../take-on.ts'
import { mayBeHandshake } from './may-be-handshake.ts'
import { shakeHands } from './shake-hands.ts'

/**
 * Makes the checks that need the body, and takes the delivery on or answers the handshake. Throws Rejection. `read` is told what the
 * values of the body take.
 */
export async function takeIn(
  services: DeliveryServices,
  admission: Admission,
  body: Buffer | Upload,
  read?: (values: number) => void,
): Promise<CallerReply | Later> {
  if (body instanceof Upload) return takeOn(services, admission, checkUpload(services, admission, body), body)
  if (mayBeHandshake(admission)) return shakeHands(services, admission, body)
  const checked = checkBody(services, admission, body)
  const webhook = checked instanceof Promise ? await checked : checked
  if (!read) return takeOn(services, admission, webhook)
  const values = await weighInTurns(webhook.body, new LoopTurns())
  read(values)
  return takeOn(services, admission, webhook, null, values)
}
