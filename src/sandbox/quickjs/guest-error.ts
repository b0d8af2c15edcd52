// What ends a run early, other than a fault of Millrace.

/** The guest's description of an error. */
export interface GuestWords {
  name: string
  message: string
  stack: string
  /** The error arose while the result was written as JSON. */
  serialising?: boolean
  /** The error is the reason of a rejected promise that nothing awaited. */
  unawaited?: boolean
}

/** The guest threw. */
export class GuestError extends Error {
  readonly words: GuestWords
  constructor(words: GuestWords) {
    super(`${words.name}: ${words.message}`)
    this.words = words
  }
}

export const OUT_OF_MEMORY: GuestWords = { name: 'InternalError', message: 'out of memory', stack: '' }

/** The guest passed more than may cross at once. */
export class TooLarge extends Error {}

/** The time is over; thrown through the frames of WebAssembly, whose memory the next image puts right. */
export class Interrupted extends Error {}

/** The code is not for the main thread; its run starts over in a worker. */
export class NotShort extends Error {}
