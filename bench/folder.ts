// Temporary folders, which are removed when the benchmark ends, also by Ctrl+C.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

process.on('exit', () => {
  // A process that was killed a moment ago may still write.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  folders.push(folder)
  return folder
}
