// Collects a reply's body, undoes its content encodings, and stops at the first byte over the limit.
import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { type ContentEncoding, readContentEncodings } from '../engine/content-encodings.ts'
import { type OutboundError, SMALL_REPLY } from '../engine/ports/http-client.ts'
import { invalidReply, tooLarge } from './failures.ts'

const MAX_ENCODINGS = 5
const CHUNK = { chunkSize: 65_536 }
// RFC 9659 limits the window of a sender to 8 MiB; zstd itself would accept 128 MiB.
const ZSTD = { ...CHUNK, params: { [constants.ZSTD_d_windowLogMax]: 23 } }

type Decoder = (firstChunk: Buffer) => Transform

const DECODERS: Record<ContentEncoding, Decoder> = {
  gzip: () => createGunzip(CHUNK),
  'x-gzip': () => createGunzip(CHUNK),
  deflate: (first) => (hasZlibHeader(first) ? createInflate(CHUNK) : createInflateRaw(CHUNK)),
  br: () => createBrotliDecompress(CHUNK),
  zstd: () => createZstdDecompress(ZSTD),
}

export interface BodyOwner {
  readonly hostname: string
  readonly maxBodyBytes: number
  /** Stops reading from the socket for a while. */
  pause(): void
  resume(): void
  /** Called when the body exceeds the size of a small one. */
  isLarge(): void
  bodyDone(body: Buffer): void
  bodyFailed(error: OutboundError): void
}

export interface ReplyBody {
  write(chunk: Buffer): void
  end(): void
  destroy(): void
}

/** What holds up the bytes of a body. */
export type BodyFlow = Pick<BodyOwner, 'pause' | 'resume'>

/** Makes what the bytes go to once their encoding is undone. */
export type BodyEnd = (owner: BodyOwner, flow: BodyFlow) => ReplyBody

const inMemory: BodyEnd = (owner) => new PlainBody(owner)

/** Throws OutboundError for more encodings than are undone; an unknown encoding stays on the body, as in browsers. */
export function replyBody(owner: BodyOwner, contentEncoding: string | undefined, endOf: BodyEnd = inMemory): ReplyBody {
  if (contentEncoding === undefined) return endOf(owner, owner)
  const { undone } = readContentEncodings(contentEncoding)
  // CVE-2026-22036: every further encoding multiplies the work that a small reply can cause.
  if (undone.length > MAX_ENCODINGS)
    throw invalidReply(owner.hostname, `it has ${undone.length} content encodings; at most ${MAX_ENCODINGS} are undone`)
  if (undone.length === 0) return endOf(owner, owner)
  return new EncodedBody(
    owner,
    undone.map((name) => DECODERS[name]),
    endOf,
  )
}

const EMPTY = Buffer.alloc(0)

class PlainBody implements ReplyBody {
  readonly #owner: BodyOwner
  #chunks: Buffer[] = []
  #size = 0

  constructor(owner: BodyOwner) {
    this.#owner = owner
  }

  write(chunk: Buffer): void {
    const before = this.#size
    this.#size += chunk.length
    if (before <= SMALL_REPLY && this.#size > SMALL_REPLY) this.#owner.isLarge()
    if (this.#size > this.#owner.maxBodyBytes) {
      this.destroy()
      this.#owner.bodyFailed(tooLarge(this.#owner.hostname, this.#owner.maxBodyBytes))
    } else this.#chunks.push(chunk)
  }

  end(): void {
    const chunks = this.#chunks
    this.#owner.bodyDone(chunks.length === 0 ? EMPTY : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  }

  destroy(): void {
    this.#chunks = []
  }
}

class EncodedBody implements ReplyBody {
  readonly #owner: BodyOwner
  readonly #decoders: readonly Decoder[]
  readonly #decoded: ReplyBody
  #stages: Transform[] | null = null
  #wireBytes = 0

  constructor(owner: BodyOwner, decoders: readonly Decoder[], endOf: BodyEnd) {
    this.#owner = owner
    this.#decoders = decoders
    // Holding up the socket is not enough: what it gave may become a thousand times as large.
    this.#decoded = endOf(owner, {
      pause: () => this.#stages?.at(-1)?.pause(),
      resume: () => this.#stages?.at(-1)?.resume(),
    })
  }

  write(chunk: Buffer): void {
    this.#wireBytes += chunk.length
    if (this.#wireBytes > this.#encodedLimit) {
      this.#fail(tooLarge(this.#owner.hostname, this.#owner.maxBodyBytes))
      return
    }
    if (this.#stages === null) {
      this.#stages = []
      this.#addStage(chunk)
    } else if (!this.#stages[0]!.write(chunk)) this.#owner.pause()
  }

  // Encoding makes incompressible data grow a little; anything more is padding, which needs a limit of its own.
  get #encodedLimit(): number {
    return this.#owner.maxBodyBytes + this.#owner.maxBodyBytes / 16 + 1024
  }

  /** A stage is created with its first chunk: deflate has two forms that only the data tells apart. */
  #addStage(firstChunk: Buffer): void {
    const stages = this.#stages!
    const depth = stages.length
    const stage = this.#decoders[depth]!(firstChunk)
    stages.push(stage)
    const last = depth === this.#decoders.length - 1
    let size = 0
    stage.on('data', (chunk: Buffer) => {
      if (last) {
        this.#decoded.write(chunk)
        return
      }
      size += chunk.length
      const next = stages[depth + 1]
      if (size > this.#encodedLimit) this.#fail(tooLarge(this.#owner.hostname, this.#owner.maxBodyBytes))
      else if (!next) this.#addStage(chunk)
      else if (!next.write(chunk)) stage.pause()
    })
    stage.on('drain', () => (depth === 0 ? this.#owner.resume() : stages[depth - 1]!.resume()))
    stage.once('end', () => {
      const next = stages[depth + 1]
      if (last || !next) this.#decoded.end()
      else next.end()
    })
    stage.on('error', (error) =>
      this.#fail(invalidReply(this.#owner.hostname, `its body cannot be decoded (${error.message})`)),
    )
    if (!stage.write(firstChunk) && depth === 0) this.#owner.pause()
  }

  end(): void {
    // A reply without a body may still have the header Content-Encoding.
    if (this.#stages === null) this.#decoded.end()
    else this.#stages[0]!.end()
  }

  destroy(): void {
    for (const stage of this.#stages ?? []) stage.destroy()
    this.#decoded.destroy()
  }

  #fail(error: OutboundError): void {
    this.destroy()
    this.#owner.bodyFailed(error)
  }
}

// RFC 1950: the method is 8, and the first two bytes are a multiple of 31.
function hasZlibHeader(first: Buffer): boolean {
  const [a = 0, b] = first
  return (a & 0x0f) === 8 && (b === undefined || ((a << 8) | b) % 31 === 0)
}
