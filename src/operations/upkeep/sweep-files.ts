// Deletes the files that nobody uses, a few at a time.
import type { FileKeeping } from '../ports/upkeep.ts'

export async function sweepFiles({ files }: { files: Pick<FileKeeping, 'sweep'> }, signal: AbortSignal): Promise<void> {
  while ((await files.sweep()) > 0 && !signal.aborted)
    // The pause lets deliveries go first.
    await new Promise((resolve) => setTimeout(resolve, 10))
}
