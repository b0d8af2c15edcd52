import { expect, it } from 'vitest'
import type { AlertEvent, AlertRecord } from '../ports/alerts/alerts.ts'
import { Decision, decideEvents, decideSeen } from './decide.ts'

const MINUTE = 60_000
const ALERT = { id: 'alr_1', rule: 'failures', count: 3, minutes: 5, flowId: null, tag: null } as AlertRecord

/** Decides about failures at these minutes, in looks of their own, and returns the counts that were raised. */
function raisedBy(...looks: number[][]): number[] {
  const raised: number[] = []
  const states = new Map<string, string>()
  for (const minutes of looks) {
    const events = minutes.map(
      (at, i): AlertEvent => ({ id: `${i}`, kind: 'failed', flowId: 'f', runId: null, at: at * MINUTE, code: null }),
    )
    const decision = new Decision(states)
    decideEvents(decision, [ALERT], events, new Map())
    raised.push(...decision.raised.map(({ item }) => item.count))
    for (const [subject, value] of decision.states)
      if (value === null) states.delete(subject)
      else states.set(subject, value)
  }
  return raised
}

it('counts failures over looks, within the minutes of the rule, and needs as many again', () => {
  expect(raisedBy([0, 1], [2])).toEqual([3])
  expect(raisedBy([0, 1, 6], [7])).toEqual([])
  expect(raisedBy([0, 1, 5.5], [5.6], [5.7])).toEqual([3])
  expect(raisedBy([0, 0, 0, 0, 0], [1])).toEqual([3, 3])
  expect(raisedBy([0, 0, 0, 0, 0, 0, 0])).toEqual([3, 3])
})

it('tells of each certificate once, also after a look that did not see it, and of its successor', () => {
  const states = new Map<string, string>()
  const look = (...expiring: { connection: string; expiresAt: number }[]) => {
    const decision = new Decision(states)
    const seen = { now: 0, late: [], reconnect: [], expiring, oldestSeconds: 0, fault: null }
    decideSeen(decision, [{ ...ALERT, rule: 'certificate_expires' }], seen, new Map())
    for (const [subject, value] of decision.states) states.set(subject, value!)
    return decision.raised.map(({ item }) => item.note)
  }
  const [old, next] = ['2027-01-31', '2028-01-31'].map((day) => ({ connection: 'bank', expiresAt: Date.parse(day) }))
  expect(look(old!)).toEqual(['bank 2027-01-31'])
  expect(look(old!)).toEqual([])
  expect(look()).toEqual([])
  expect(look(old!)).toEqual([])
  expect(look(next!)).toEqual(['bank 2028-01-31'])
})
