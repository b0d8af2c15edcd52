// Writes the log without secrets: as JSON lines, or on a terminal as lines for people.
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Redactor } from '../secrets/redactor.ts'
import type { Config } from './config.ts'

export function createLog({ logLevel }: Config, output: DestinationStream, redactor: Redactor): Logger {
  const options = { level: logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  return pino(options, { write: (line) => output.write(redactor.redactJsonText(line)) })
}

export function standardOutput(): DestinationStream {
  if (!process.stdout.isTTY) return pino.destination({ dest: 1, sync: true })
  const options = { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }
  return pino.transport({ target: 'pino-pretty', options }) as DestinationStream
}
