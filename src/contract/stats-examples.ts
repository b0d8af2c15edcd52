// An example of the statistics.
import type { Static, TSchema } from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { example } from './example.ts'
import { StatsBody } from './stats-bodies.ts'

const FLOW = { flowId: 'flow_01m7h4zv0n1k5g7c8m2q4r6t8w', flowName: 'Hello' }

const totals: Static<typeof StatsBody>['totals'] = {
  deliveries: { accepted: 40, duplicate: 1, filtered: 0, rejected: 2 },
  runs: { started: 41, succeeded: 38, failed: 2, cancelled: 0 },
  successRate: 0.95,
  p50Ms: 120,
  p95Ms: 870,
}

export const STATS_EXAMPLES: readonly [TSchema, unknown][] = [
  example(StatsBody, {
    range: '24h',
    from: '2026-11-15T09:00:00.000Z',
    to: '2026-11-16T08:20:00.000Z',
    stepSeconds: 900,
    flow: null,
    totals,
    series: [{ at: '2026-11-16T08:15:00.000Z', ...totals }],
    busiest: [{ ...FLOW, ...totals }],
    slowest: [{ ...FLOW, ...totals }],
    errors: [{ ...FLOW, code: CODE.http_500, runs: 2 }],
    waiting: { runs: 3, more: false },
    connections: [{ name: 'shop', state: 'reconnect', reason: 'the token endpoint refused the refresh token' }],
    instance: {
      fault: null,
      queue: { queued: 0, limit: 100_000, oldestSeconds: 0, running: 1 },
      version: '0.1.0',
      node: 'v24.4.0',
      database: { kind: 'sqlite', version: '3.50.2', bytes: 4_194_304, freeBytes: 53_687_091_200 },
    },
  }),
]
