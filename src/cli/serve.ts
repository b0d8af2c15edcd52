// `millrace serve`: runs the service until it is told to stop.

import { readConfig } from '../app/config.ts'
import { ConfigError } from '../app/read-setting.ts'
import { type App, startApp } from '../app/start.ts'
import { Refusal } from '../base/refusals.ts'
import { optimizeEarly, tuneV8 } from '../base/v8/tune-v8.ts'

const EXIT_WITHIN_MS = 9_500

export async function serve(): Promise<void> {
  tuneV8()
  let app: App
  try {
    app = await startApp(readConfig())
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
  optimizeEarly()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(0), EXIT_WITHIN_MS).unref()
    app.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Returns one line for a problem that the operator can fix, and the stack for a bug in Millrace. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof Refusal) return `Millrace cannot start: ${error.message}`
  const { code, message, syscall, path } = error as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE')
    return `Millrace cannot start: ${message}. Raise the limit on open files, for example with "ulimit -n 65536".`
  if (code === 'EADDRINUSE')
    return `Millrace cannot start: ${message}. Another program uses that address; set MILLRACE_PORT to a free port.`
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `Millrace cannot start: ${message}. Check MILLRACE_HOST and MILLRACE_PORT.`
  if (syscall && path !== undefined)
    return `Millrace cannot start: ${message}. Check the folder MILLRACE_DATA_DIR and its disk.`
  return `Millrace cannot start: ${error instanceof Error ? error.stack : String(error)}`
}
