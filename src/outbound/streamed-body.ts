// Hands the body of a reply on as it comes, in place of gathering it in memory.
import type { ReplySink } from '../engine/ports/http-client.ts'
import { cancelled, tooLarge } from './failures.ts'
import type { BodyFlow, BodyOwner, ReplyBody } from './reply-body.ts'

/** More than this waits in memory only until the socket has stopped. */
const MOST_WAITING = 131_072
const EMPTY = Buffer.alloc(0)

export class StreamedBody implements ReplyBody {
  readonly #owner: BodyOwner
  readonly #flow: BodyFlow
  readonly #maxBytes: number
  readonly #taken: Promise<void>
  #chunks: Buffer[] = []
  #waiting = 0
  #size = 0
  #state: 'open' | 'ended' | 'broken' = 'open'
  #paused = false
  #wake: (() => void) | null = null

  constructor(owner: BodyOwner, flow: BodyFlow, sink: ReplySink) {
    this.#owner = owner
    this.#flow = flow
    this.#maxBytes = sink.maxBytes
    this.#taken = sink.take(this.#bytes())
    this.#taken.catch(() => owner.bodyFailed(cancelled('The reply could not be kept')))
  }

  write(chunk: Buffer): void {
    if (this.#state !== 'open') return
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) {
      this.destroy()
      this.#owner.bodyFailed(tooLarge(this.#owner.hostname, this.#maxBytes))
      return
    }
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > MOST_WAITING && !this.#paused) {
      this.#paused = true
      this.#flow.pause()
    }
    this.#wake?.()
  }

  end(): void {
    if (this.#state !== 'open') return
    this.#state = 'ended'
    this.#wake?.()
    this.#taken.then(
      () => this.#owner.bodyDone(EMPTY),
      () => {},
    )
  }

  destroy(): void {
    this.#state = 'broken'
    this.#chunks = []
    this.#wake?.()
  }

  async *#bytes(): AsyncIterable<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk) {
        this.#waiting -= chunk.length
        yield chunk
      } else if (this.#state === 'ended') return
      else if (this.#state === 'broken') throw new Error('the reply was cut off')
      else if (this.#paused) {
        this.#paused = false
        // More may have come before this returns: it is looked for before anybody waits.
        this.#flow.resume()
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        this.#wake = null
      }
    }
  }
}
