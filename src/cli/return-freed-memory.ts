// Lets the C library give freed memory back to the system (docs/decisions/014-memory-of-the-process.md).

/** Beyond so many free bytes at the end of a thread's memory, glibc returns them. */
const MOST_KEPT_BYTES = '65536'

/** glibc reads its settings when a process starts: this one is replaced by itself, unless its launcher has set them. */
export function returnFreedMemory(): void {
  const { env, platform, channel } = process
  const isSet = env.MALLOC_TRIM_THRESHOLD_ !== undefined || env.GLIBC_TUNABLES !== undefined
  // Who talks to the process on a channel would lose it.
  if (platform !== 'linux' || isSet || channel) return
  const command = [process.argv0, ...process.execArgv, ...process.argv.slice(1)]
  process.execve!(process.execPath, command, { ...env, MALLOC_TRIM_THRESHOLD_: MOST_KEPT_BYTES })
}
