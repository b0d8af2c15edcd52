// Undoes the content encoding of a delivery's body.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { CODE } from '../../base/error-catalogue.ts'
import { type BodyHold, SMALL_BODY } from '../../operations/deliveries/body-budget.ts'
import { briefly, noRoom, Rejection, tooLarge } from '../../operations/deliveries/rejection.ts'

const DECODERS: Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** Undoes a content encoding, counting what comes out: there must be room for the largest body before more than a small one does. */
export async function decodeBody(
  body: Buffer,
  encoding: string,
  maxBytes: number,
  hold: BodyHold | null,
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (!name || name === 'identity') return body
  const undo = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!undo) throw undecodable(encoding)
  for (const most of [Math.min(SMALL_BODY, maxBytes), maxBytes]) {
    if (most > SMALL_BODY && hold && !hold.reach(body.length + most)) throw noRoom()
    try {
      const decoded = await undo(body, { maxOutputLength: most })
      hold?.shrink(decoded.length)
      return decoded
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw undecodable(encoding)
    }
  }
  throw tooLarge(maxBytes)
}

const undecodable = (encoding: string): Rejection =>
  new Rejection(
    CODE.bad_request,
    `The body cannot be decoded as "${briefly(encoding)}"; send it as gzip, deflate or br, or without a Content-Encoding.`,
  )
