import { describe, expect, it } from 'vitest'
import type { RetryPolicy } from '../flow/compile.ts'
import { nextAttemptAt } from './retry.ts'
import type { Trouble } from './step-kind.ts'

const policy = (change: Partial<RetryPolicy> = {}): RetryPolicy => ({
  attempts: 4,
  delay: 1,
  backoff: 2,
  maxDelay: 60,
  on: null,
  ...change,
})
const delay = (trouble: Trouble, attempt = 1, change: Partial<RetryPolicy> = {}, random = 0) =>
  nextAttemptAt(policy(change), ['network', '429', '5xx'], trouble, attempt, 0, random)

describe('nextAttemptAt', () => {
  it('grows by the factor up to the cap', () => {
    const busy = { code: 'http_5xx', status: 503 }
    expect([1, 2, 3].map((attempt) => delay(busy, attempt))).toEqual([1000, 2000, 4000])
    expect(delay(busy, 3, { maxDelay: 3 })).toBe(3000)
  })

  it('ends after the last attempt', () => {
    expect(delay({ code: 'http_5xx', status: 503 }, 4)).toBeNull()
    expect(delay({ code: 'http_5xx', status: 503 }, 1, { attempts: 1 })).toBeNull()
  })

  it('shortens a delay by up to half, never lengthens it', () => {
    expect(delay({ code: 'http_5xx', status: 503 }, 1, {}, 0.999)).toBeGreaterThanOrEqual(500)
    expect(delay({ code: 'http_5xx', status: 503 }, 1, {}, 0.5)).toBe(750)
  })

  it('follows Retry-After in place of the delay, within the cap', () => {
    expect(delay({ code: 'http_429', status: 429, retryAfterMs: 7000 }, 1, {}, 0.9)).toBe(7000)
    expect(delay({ code: 'http_429', status: 429, retryAfterMs: 700_000 })).toBe(60_000)
    expect(delay({ code: 'http_429', status: 429, retryAfterMs: 0 })).toBe(0)
  })

  it.each([
    ['a network fault', { code: 'connection_reset' }, true],
    ['a timeout', { code: 'connection_timeout' }, true],
    ['429', { code: 'http_429', status: 429 }, true],
    ['500', { code: 'http_500', status: 500 }, true],
    ['404', { code: 'http_404', status: 404 }, false],
    ['a blocked address', { code: 'blocked_address' }, false],
    ['an invalid URL', { code: 'invalid_url' }, false],
  ])('by default treats %s as it should', (_name, trouble, retried) => {
    expect(delay(trouble) !== null).toBe(retried)
  })

  it('takes single statuses, classes and network from the policy', () => {
    expect(delay({ code: 'http_404', status: 404 }, 1, { on: ['404'] })).toBe(1000)
    expect(delay({ code: 'http_4xx', status: 409 }, 1, { on: ['4xx'] })).toBe(1000)
    expect(delay({ code: 'http_500', status: 500 }, 1, { on: ['network'] })).toBeNull()
    expect(delay({ code: 'dns_failed' }, 1, { on: ['network'] })).toBe(1000)
    expect(delay({ code: 'invalid_url' }, 1, { on: ['error'] })).toBe(1000)
  })
})
