// `millrace serve`: runs the service until it is told to stop.

import { ConfigError, readConfig } from '../app/config.ts'
import { type App, startApp } from '../app/start.ts'

const EXIT_WITHIN_MS = 9_500

export async function serve(): Promise<void> {
  let app: App
  try {
    app = await startApp(readConfig())
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
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

const REFUSALS = new Set(['DatabaseRefused', 'KeyRefused', 'StorageUnavailable'])

/** One line for what the operator can mend; the stack for what is our fault. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || REFUSALS.has((error as Error).name))
    return `Millrace cannot start: ${(error as Error).message}`
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'EADDRINUSE')
    return `Millrace cannot start: ${message}. Another program uses that address; set MILLRACE_PORT to a free port.`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `Millrace cannot start: ${message}. Check MILLRACE_HOST and MILLRACE_PORT.`
  return `Millrace cannot start: ${error instanceof Error ? error.stack : String(error)}`
}
