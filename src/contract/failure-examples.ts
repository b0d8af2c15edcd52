// Examples of the bodies of failures and replays.
import type { TSchema } from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { example } from './example.ts'
import * as bodies from './failure-bodies.ts'

const FAILURE = 'fail_5f0c1a9be2d34c6f8a7b90d1e2f3a4b5'
const FLOW = 'flow_01m7h52j4jwac4pp58gdhs4hc0'

const preview = { total: 9_995, alreadyReplayed: 5 }

export const FAILURE_EXAMPLES: [TSchema, unknown][] = [
  example(bodies.FailureBody, {
    id: FAILURE,
    flow: FLOW,
    flowName: 'Hello',
    step: 'tell',
    code: CODE.http_5xx,
    status: 503,
    message: 'api.example.com answered … Service Unavailable.',
    count: 10_000,
    firstAt: '2026-11-16T08:00:00.447Z',
    lastAt: '2026-11-16T08:59:59.102Z',
    versions: [2, 1],
    hours: Array.from({ length: 72 }, (_, i) => (i === 71 ? 10_000 : 0)),
    latestRun: 'run_01m7h52jaz4k8wxqk7znewdprn',
    state: 'open',
    until: null,
  }),
  example(bodies.FailureRequest, { state: 'muted', until: '2036-11-17T08:00:00Z' }),
  example(bodies.ReplayRequest, { from: 'greet', version: 'published', webhook: { body: { name: 'Grace' } } }),
  example(bodies.ReplaysRequest, { filter: { failure: FAILURE }, version: 'published', pace: 100 }),
  example(bodies.ReplayPreviewBody, preview),
  example(bodies.ReplaysBody, {
    id: 'rpl_01m7h8s3cqw9v2e0tkyf5x6zrb',
    state: 'running',
    ...preview,
    started: 4_200,
    done: 4_120,
    failed: 3,
    pace: 100,
    createdAt: '2026-11-16T09:05:00.000Z',
    createdBy: 'ada@example.com',
    finishedAt: null,
    request: { filter: { failure: FAILURE }, from: 'failed', version: 'published', again: false, replays: false },
  }),
  example(bodies.CancelRunsRequest, { filter: { flow: FLOW, status: 'waiting' }, dryRun: true }),
  example(bodies.CancelledRunsBody, { total: 12, cancelled: 12 }),
]
