import type { FailureStore } from '../ports/failures.ts'
import type { ReplayStore } from '../ports/replays.ts'
import type { RunServices } from '../runs/services.ts'

export interface FailureServices extends RunServices {
  failures: FailureStore
  replays: ReplayStore
  /** Looks at the jobs at once, because one was made or changed. */
  replaysChanged(): void
}
