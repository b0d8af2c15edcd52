// Lets the C library give freed memory back to the system (docs/decisions/014-memory-of-the-process.md).

/** Beyond so many free bytes at the end of a thread's memory, glibc returns them; and no thread keeps small blocks there for itself. */
const SETTINGS = 'glibc.malloc.trim_threshold=65536:glibc.malloc.tcache_count=0'

/** glibc reads its settings when a process starts: this one is replaced by itself, unless its launcher has set them. */
export function returnFreedMemory(): void {
  const { env, platform, channel } = process
  const isSet = env.GLIBC_TUNABLES !== undefined || env.MALLOC_TRIM_THRESHOLD_ !== undefined
  // Who talks to the process on a channel would lose it.
  if (platform !== 'linux' || isSet || channel) return
  const command = [process.argv0, ...process.execArgv, ...process.argv.slice(1)]
  process.execve!(process.execPath, command, { ...env, GLIBC_TUNABLES: SETTINGS })
}
