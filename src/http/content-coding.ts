// The compression that a client accepts.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Coding = 'br' | 'gzip'

/** Shorter texts gain nothing: they fit into one packet. */
export const WORTH_COMPRESSING = 1024

export function codingFor(accepted: string | undefined): Coding | null {
  const names = (accepted ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]!.trim().toLowerCase())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : null
}

/** Compresses in a thread, so that the event loop goes on. `quality` is that of Brotli, and the level of gzip. */
export const compress = (content: string | Buffer, coding: Coding, quality: number): Promise<Buffer> =>
  coding === 'br'
    ? promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
    : promisify(gzip)(content, { level: quality })
