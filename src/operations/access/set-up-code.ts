// What the link in the log of the start holds, for the first owner.
import { timingSafeEqual } from 'node:crypto'
import { digestOf, newSecret } from './secret-code.ts'

/** The code of the link; a new one with each start, until it was used. */
export class SetUpCode {
  readonly code: string

  /** `code`: the same in all processes, where there are several. */
  constructor(code: string = newSecret()) {
    this.code = code
  }

  matches(code: string): boolean {
    return timingSafeEqual(Buffer.from(digestOf(code)), Buffer.from(digestOf(this.code)))
  }
}
