import { describe, expect, it } from 'vitest'
import { noteAttempt, withNext } from './attempts.ts'
import type { JournalEntry } from './ports/run-journal.ts'
import { done, failed, type Outcome } from './step-kind.ts'

/** Returns the attempts of a step that ends like this, one attempt each minute, of a second each. */
function attemptsOf(outcomes: Outcome[]) {
  const entry = { attempt: 1, startedAt: 0, attempts: null } as unknown as JournalEntry
  for (const [i, outcome] of outcomes.entries()) {
    const startedAt = i * 60_000
    entry.attempt = i + 1
    if (i > 0) entry.attempts = withNext(entry.attempts!, i + 1, startedAt)
    noteAttempt(entry, outcome, startedAt + 1_000)
  }
  return entry.attempts!
}

const down = failed({ code: 'http_error', message: 'HTTP 503', status: 503 })

describe('the attempts of a step', () => {
  it('say when each began, how long it took, and what came of it', () => {
    expect(attemptsOf([down, failed({ code: 'timeout', message: 'x'.repeat(900) }), done({ status: 200 })])).toEqual([
      { number: 1, startedAt: 0, durationMs: 1000, status: 503, error: { code: 'http_error', message: 'HTTP 503' } },
      { number: 2, startedAt: 60_000, durationMs: 1000, error: { code: 'timeout', message: 'x'.repeat(500) } },
      { number: 3, startedAt: 120_000, durationMs: 1000, status: 200 },
    ])
  })

  it('are kept from the first 10 and the last 10', () => {
    const numbers = attemptsOf(Array.from({ length: 1000 }, () => down)).map(({ number }) => number)
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 991, 992, 993, 994, 995, 996, 997, 998, 999, 1000])
  })

  it('are noted once each, also if a result comes later', () => {
    const entry = {
      attempt: 2,
      startedAt: 0,
      attempts: [{ number: 1, startedAt: 0, durationMs: 5 }],
    } as never as JournalEntry
    entry.attempts = withNext(entry.attempts!, 2, 100)
    expect(entry.attempts.at(-1)).toEqual({ number: 2, startedAt: 100, durationMs: null })
    noteAttempt(entry, { type: 'call', flow: 'f', input: null, wait: true }, 110)
    noteAttempt(entry, done({}), 900)
    expect(entry.attempts.map(({ number, durationMs }) => [number, durationMs])).toEqual([
      [1, 5],
      [2, 800],
    ])
  })
})
