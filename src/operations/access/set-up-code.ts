// Holds the code of the set-up link, which the log shows at start for the first owner.
import { timingSafeEqual } from 'node:crypto'
import { digestOf, newSecret } from './secret-code.ts'

/** The code of the link: a new one at each start, until it is used. */
export class SetUpCode {
  readonly code: string

  /** Takes a `code` that is the same in all processes, if there are several. */
  constructor(code: string = newSecret()) {
    this.code = code
  }

  matches(code: string): boolean {
    return timingSafeEqual(Buffer.from(digestOf(code)), Buffer.from(digestOf(this.code)))
  }
}
