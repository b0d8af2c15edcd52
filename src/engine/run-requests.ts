// Answers what a step's requests ask: whether this process still holds the run, and whether there is room for the reply.
import { LoopTurns } from '../base/waiting.ts'
import { weighInTurns } from '../flow/json/weigh.ts'
import type { JournalWriter } from './journal-writer.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { RoomOfRun, Standing } from './ports/http-client.ts'
import type { ClaimedRun } from './ports/run-journal.ts'
import { ClaimLost } from './walk-signals.ts'

/** Returns null if no other process can take the run. `lost` is called when another process has taken it. */
export function standingOf({ journal }: EnginePorts, writer: JournalWriter, lost: () => void): Standing | null {
  if (!journal.isCertain) return null
  return {
    isCertain: () => journal.isCertain!(),
    confirm: async () => {
      try {
        await writer.confirm()
        return true
      } catch (signal) {
        // The step ends as cancelled; its outcome is discarded, like every outcome of a lost run.
        if (signal instanceof ClaimLost) lost()
        return false
      }
    },
  }
}

export function roomOf({ replyRoom }: EnginePorts, runId: string): RoomOfRun | null {
  if (!replyRoom) return null
  return { grow: (bytes) => replyRoom.grow(runId, bytes), shrink: (bytes) => replyRoom.shrink(runId, bytes) }
}

/** Returns about the bytes of memory that a run takes as it was read. */
export const memoryOf = async ({ webhook, given, journal }: ClaimedRun): Promise<number> =>
  (webhook?.rawBody.length ?? 0) +
  (await weighInTurns([webhook?.body, given, journal.map(({ output }) => output)], new LoopTurns()))
