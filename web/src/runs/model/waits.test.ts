import { expect, it } from 'vitest'
import type { RunCallback } from '../../api/api-types.ts'
import { callbackAt, concernsCallback, waitWords } from './waits.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const callback: RunCallback = {
  id: 'cbk_1',
  step: 'all[3]/ask',
  kind: 'approval',
  state: 'open',
  createdAt: '2026-11-16T11:00:00Z',
  expiresAt: '2026-11-18T12:00:00Z',
  answeredAt: null,
  answeredBy: null,
}
const step = { kind: 'wait', status: 'waiting' as const, path: 'all[3]/ask', resumeAt: '2026-11-18T12:00:00Z' }

it('says for whom a step waits, and how long at most', () => {
  expect(waitWords(step, [callback], NOW)).toBe('waiting for an approval, 2 days left')
  expect(waitWords(step, [{ ...callback, kind: 'callback' }], NOW)).toBe('waiting for a callback, 2 days left')
  expect(waitWords(step, undefined, NOW)).toBe('waiting, 2 days left')
})

it('says nothing of steps that do not wait, or only for their next attempt', () => {
  expect(waitWords({ ...step, status: 'succeeded' }, [callback], NOW)).toBeNull()
  expect(waitWords({ ...step, kind: 'http' }, [], NOW)).toBeNull()
})

it('finds the callback of a step in every attempt of the loop around it', () => {
  expect(callbackAt([callback], 'all#2[3]/ask')).toBe(callback)
  expect(callbackAt([callback], 'all[4]/ask')).toBeNull()
})

it('reads the callbacks again only where a step waits for one', () => {
  expect(concernsCallback({ kind: 'wait', input: { callback: {} } })).toBe(true)
  expect(concernsCallback({ kind: 'wait', input: { seconds: 5 } })).toBe(false)
  expect(concernsCallback({ kind: 'http', input: { callback: {} } })).toBe(false)
  expect(concernsCallback({ kind: 'wait', input: null })).toBe(false)
})
