import { mediaType } from '../../../engine/webhook-data.ts'
import type { Admission } from '../delivery-head.ts'
import { isUpload } from '../files/upload.ts'

/** A handshake is small: what is larger goes its usual way, and is not read before its sender is known. */
export const LARGEST_HANDSHAKE = 65_536

/** Returns whether the request may be a handshake, so that its body is read before the other checks. */
export const mayBeHandshake = ({ trigger, head }: Pick<Admission, 'trigger' | 'head'>): boolean =>
  trigger.handshakes?.some(({ method }) => method === head.method) === true &&
  head.metadata.contentLength <= LARGEST_HANDSHAKE &&
  !isUpload(trigger, mediaType(head.metadata.contentType))
