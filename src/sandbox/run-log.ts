// Collects what one run writes to its console, up to the limits.
import { MAX_LOG_CHARACTERS, MAX_LOG_LINES } from './limits.ts'

const LEVELS = ['info', 'warn', 'error', 'debug']

export class RunLog {
  readonly lines: string[] = []
  #characters = 0
  #full = false

  /** Returns true once the log is full. */
  write(level: unknown, text: unknown): boolean {
    if (this.#full || typeof text !== 'string') return this.#full
    const line = LEVELS.includes(level as string) ? `${level as string}: ${text}` : text
    const room = MAX_LOG_CHARACTERS - this.#characters
    this.#full = line.length > room || this.lines.length === MAX_LOG_LINES
    if (!this.#full) {
      this.lines.push(line)
      this.#characters += line.length
      return false
    }
    if (this.lines.length < MAX_LOG_LINES && room > 0) this.lines.push(line.slice(0, room))
    this.lines.push(`(the log is cut here: ${MAX_LOG_LINES} lines or ${MAX_LOG_CHARACTERS >> 10} KiB are kept)`)
    return true
  }
}
