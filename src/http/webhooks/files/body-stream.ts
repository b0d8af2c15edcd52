// The bytes of a body as they come: without their content encoding, counted, and within the time that they may take.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { CODE } from '../../../base/error-catalogue.ts'
import { briefly, Rejection, tooLarge } from '../../../operations/deliveries/rejection.ts'
import { allowLonger } from '../../longer-time.ts'

/** As slow as a sender of files may be. */
const SLOWEST_BYTES_PER_MS = 64
const LEAST_TIME_MS = 120_000
const CHUNK = { chunkSize: 65_536 }

const DECODERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
}

export interface BodyStream {
  bytes: AsyncIterable<Uint8Array>
  /** How many bytes came out. */
  size(): number
  /** Leaves the rest, and ends the time limit. */
  end(): void
}

/** Throws Rejection for an encoding that is not undone; so does reading the bytes, if there are too many or they take too long. */
export function openBody(request: IncomingMessage, encoding: string | undefined, maxBytes: number): BodyStream {
  const stage = decoderOf(encoding)
  const declared = Number(request.headers['content-length'] ?? maxBytes)
  const source = timedBytes(request, Math.max(LEAST_TIME_MS, declared / SLOWEST_BYTES_PER_MS))
  let size = 0
  async function* counted(): AsyncIterable<Uint8Array> {
    let wire = 0
    const within = async function* () {
      for await (const chunk of source.bytes) {
        wire += chunk.length
        if (wire > maxBytes) throw tooLarge(maxBytes)
        yield chunk
      }
    }
    for await (const chunk of stage ? decoded(within(), stage, encoding!) : within()) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  }
  return { bytes: counted(), size: () => size, end: source.end }
}

function decoderOf(encoding: string | undefined): Transform | null {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return null
  if (!Object.hasOwn(DECODERS, name)) throw undecodable(encoding!)
  return DECODERS[name]!()
}

const undecodable = (encoding: string): Rejection =>
  new Rejection(
    CODE.bad_request,
    `The body cannot be decoded as "${briefly(encoding)}"; send it as gzip, deflate or br, or without a Content-Encoding.`,
  )

const tooSlow = (): Rejection =>
  new Rejection(CODE.bad_request, 'The request took too long to arrive: files have to come at 64 kB/s at least.')

/** Reads the request, and leaves it open where reading ends early: its sender has to get an answer. */
function timedBytes(request: IncomingMessage, timeMs: number): { bytes: AsyncIterable<Uint8Array>; end(): void } {
  const usual = allowLonger(request.socket)
  let isLate = false
  // A promise for all of the reading would gather a reaction with every piece that comes.
  let giveUp: (rejection: Rejection) => void = () => {}
  const timer = setTimeout(() => {
    isLate = true
    giveUp(tooSlow())
  }, timeMs)
  const next = (): Promise<IteratorResult<Buffer>> =>
    new Promise((resolve, reject) => {
      giveUp = reject
      if (isLate) reject(tooSlow())
      else iterator.next().then(resolve, reject)
    })
  const iterator = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  async function* bytes(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        const { done, value } = await next()
        if (done) return
        yield value
      }
    } catch (error) {
      if (error instanceof Rejection) throw error
      throw new Rejection(CODE.bad_request, 'The body ended before its declared end.')
    }
  }
  return {
    bytes: bytes(),
    end() {
      clearTimeout(timer)
      usual()
    },
  }
}

/** Undoes an encoding no faster than its bytes are taken: a small body may become a thousand times as large. */
async function* decoded(
  source: AsyncIterable<Uint8Array>,
  stage: Transform,
  encoding: string,
): AsyncIterable<Uint8Array> {
  let fault: unknown = null
  const closed = new Promise<void>((resolve) => void stage.once('close', resolve))
  const pump = async (): Promise<void> => {
    for await (const chunk of source) {
      if (stage.destroyed) return
      if (!stage.write(chunk)) await Promise.race([once(stage, 'drain'), closed])
    }
    stage.end()
  }
  const pumping = pump().catch((error) => {
    fault = error
    stage.destroy()
  })
  try {
    for await (const chunk of stage as AsyncIterable<Buffer>) yield chunk
    await pumping
    if (fault) throw fault
  } catch (error) {
    if (fault) throw fault
    throw error instanceof Rejection ? error : undecodable(encoding)
  } finally {
    stage.destroy()
  }
}
