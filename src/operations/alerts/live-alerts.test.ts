import { describe, expect, it } from 'vitest'
import type { AlertRecord, AlertStore } from '../ports/alerts/alerts.ts'
import { failingSubject, LiveAlerts } from './live-alerts.ts'

const FLOW = 'flow_1'
const FAILING = new Map([[failingSubject(FLOW), '0']])
const MINUTE = 60_000

const alert = (change: Partial<AlertRecord>): AlertRecord => ({
  id: 'alr_1',
  rule: 'recovered',
  flowId: null,
  tag: null,
  target: { kind: 'webhook', url: 'https://a.example' },
  secret: null,
  createdAt: 0,
  sentAt: null,
  problem: null,
  ...change,
})

async function live(records: AlertRecord[], tell: ((flowId: string) => void) | null = null) {
  const clock = { now: 0 }
  const store = { list: async () => records, states: async () => new Map() } as Partial<AlertStore> as AlertStore
  const alerts = new LiveAlerts(store, () => clock.now, tell)
  await alerts.load()
  return { alerts, clock }
}

describe('the alerts in memory', () => {
  it('know of a failure whose state is not stored yet, so that the success after it is stored', async () => {
    const { alerts } = await live([alert({})])
    expect(alerts.concernsEnd(FLOW, 'failed')).toBe(true)
    // A look that began before reads the states only now.
    alerts.learn(new Map())
    expect(alerts.concernsEnd(FLOW, 'succeeded')).toBe(true)
    expect(alerts.concernsEnd(FLOW, 'succeeded')).toBe(false)
  })

  it('know of a success whose state is not stored yet, so that the failure after it is stored', async () => {
    const { alerts } = await live([alert({ rule: 'first_failure' })])
    alerts.learn(FAILING)
    expect(alerts.concernsEnd(FLOW, 'failed')).toBe(false)
    expect(alerts.concernsEnd(FLOW, 'succeeded')).toBe(true)
    alerts.learn(FAILING)
    expect(alerts.concernsEnd(FLOW, 'failed')).toBe(true)
  })

  it('believe the stored states after a minute', async () => {
    const { alerts, clock } = await live([alert({})])
    alerts.concernsEnd(FLOW, 'failed')
    clock.now += MINUTE
    alerts.learn(new Map())
    expect(alerts.concernsEnd(FLOW, 'succeeded')).toBe(false)
  })

  it('tell the other processes once that a flow fails, when that is stored, and listen to them', async () => {
    const told: string[] = []
    const { alerts } = await live([alert({})], (flowId) => told.push(flowId))
    expect(alerts.concernsEnd(FLOW, 'failed')).toBe(true)
    expect(told).toEqual([])
    alerts.ended(FLOW)
    expect(alerts.concernsEnd(FLOW, 'failed')).toBe(true)
    alerts.ended(FLOW)
    expect(told).toEqual([FLOW])
    const other = await live([alert({})], () => {})
    expect(other.alerts.concernsEnd(FLOW, 'succeeded')).toBe(false)
    other.alerts.saw(FLOW, true)
    expect(other.alerts.concernsEnd(FLOW, 'succeeded')).toBe(true)
  })

  it('keep what is raised by alert and flow, however many deliveries are rejected', async () => {
    const { alerts } = await live([alert({ rule: 'rejections', count: 2 })])
    for (let i = 0; i < 10_001; i++) alerts.rejected(FLOW, 401, i)
    for (const status of [404, 429, 503]) alerts.rejected('flow_2', status, 0)
    expect(alerts.takeRaised()).toMatchObject([
      { alertId: 'alr_1', item: { flowId: FLOW, count: 2 } },
      { alertId: 'alr_1', item: { flowId: FLOW, count: 9_998 } },
    ])
    expect(alerts.takeRaised()).toEqual([])
  })
})
