// What the requests of a run's steps ask of the run: whether it is still this process's, and whether there is room for their replies.
import type { JournalWriter } from './journal-writer.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { RoomOfRun, Standing } from './ports/http-client.ts'
import { ClaimLost } from './walk-signals.ts'

/** null: the run cannot be another process's. `lost`: it is. */
export function standingOf({ journal }: EnginePorts, writer: JournalWriter, lost: () => void): Standing | null {
  if (!journal.isCertain) return null
  return {
    isCertain: () => journal.isCertain!(),
    confirm: async () => {
      try {
        await writer.confirm()
        return true
      } catch (signal) {
        // The step ends as cancelled, and what came of it counts as little as that of any run that was lost.
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
