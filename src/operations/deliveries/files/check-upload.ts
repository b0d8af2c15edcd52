// Makes the checks of a delivery with files that are left when its bytes are stored.
import { CODE } from '../../../base/error-catalogue.ts'
import type { WebhookData } from '../../../engine/webhook-data.ts'
import { checkSignature } from '../credentials.ts'
import type { Admission } from '../delivery-head.ts'
import { Rejection } from '../rejection.ts'
import type { DeliveryServices } from '../services.ts'
import { signsBody } from './streamed-check.ts'
import { type Upload, uploadedContent } from './upload.ts'

const CHANGED_RETRY_SECONDS = 1

/** Throws Rejection if the sender is not who it has to be. */
export function checkUpload(services: DeliveryServices, admission: Admission, upload: Upload): WebhookData {
  const content = uploadedContent(admission, upload)
  if (upload.whole) checkSignature(services, admission, upload.whole, content)
  // What was checked while the bytes came is not what another version asks for.
  else if (upload.trigger !== admission.trigger && signsBody(admission.trigger.auth))
    throw new Rejection(
      CODE.overloaded,
      'The webhook was changed while the files came; send them again.',
      CHANGED_RETRY_SECONDS,
    )
  return content
}
