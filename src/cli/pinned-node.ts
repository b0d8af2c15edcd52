// The Node that npm has brought along (docs/decisions/005). This file is read by older ones too: it uses nothing that is new.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** As every launcher of the service sets it (docs/decisions/014-memory-of-the-process.md). */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=8'

/** Its path, beside the package or above it; null where npm has none for this system, or was told to leave it out. */
function findPinnedNode(): string | null {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`))
    const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}

/** Runs this command on it, with the same streams, and ends as it ends. Resolves where there is none that can be run. */
export async function runOnPinnedNode(): Promise<void> {
  const program = findPinnedNode()
  if (program === null) return
  const child = spawn(program, [SMALL_YOUNG_GENERATION, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
  })
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, passOn)
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    for (const passedOn of signals) process.off(passedOn, passOn)
    process.kill(process.pid, signal)
  })
  // One for another C library, for example.
  await new Promise((resolve) => child.on('error', resolve))
}
