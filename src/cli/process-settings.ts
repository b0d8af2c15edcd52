// How the service's process uses memory: what V8 and the C library's allocator read when a process starts, and
// never again. docs/decisions/014 has the reason and the measurements.
import { setFlagsFromString } from 'node:v8'

const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50', '--no-allocation-site-pretenuring']

/** Freed memory goes back to the system. With any size of its own choice glibc keeps what a burst took. */
const ALLOCATOR = { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' }

/** Restarts this command in the same process, with the same id and standard streams, unless it already has all settings. */
export function takeProcessSettings(): void {
  const { execArgv, argv, env, execPath } = process
  // What the operator set stays.
  const given = `${env['NODE_OPTIONS']} ${execArgv.join(' ')}`
  const flags = FLAGS.filter((flag) => !given.includes(flag.split('=')[0]!))
  const complete = flags.length === 0 && Object.keys(ALLOCATOR).every((name) => env[name] !== undefined)
  if (!complete && (process.platform === 'linux' || process.platform === 'darwin'))
    process.execve!(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...ALLOCATOR, ...env })
  // The event loop's thread has its own by now. For the others V8 would put the flag above the limits that they are given.
  setFlagsFromString('--max-semi-space-size=0')
}
