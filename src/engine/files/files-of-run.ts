import type { FileStore } from '../ports/files.ts'
import { handledBy } from '../ports/run-journal.ts'
import { type RunFiles, runFiles } from './run-files.ts'

/** Returns the files of a run; what is done because another failed reads the files of that one too. */
export function filesOfRun(ports: { files: FileStore; maxFileBytes: number }, runId: string): RunFiles {
  const failed = handledBy(runId)
  return runFiles(ports, failed === null ? [runId] : [runId, failed])
}
