// One example of each body, all of one small story: the flow "Hello", a delivery to it and the run that came of it. The API's
// description shows them; tests hold them to their schemas, and send those that can be sent.
import type { Static, TSchema } from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { FixtureSchema } from '../flow/fixture.ts'
import { SIGN_IN_EXAMPLES } from './access/sign-in-examples.ts'
import { ACCESS_EXAMPLES } from './access-examples.ts'
import { ALERT_EXAMPLES } from './alert-examples.ts'
import * as bodies from './bodies.ts'
import * as connections from './connection-bodies.ts'
import { ErrorBody } from './error-body.ts'
import { example } from './example.ts'
import { FAILURE_EXAMPLES } from './failure-examples.ts'
import { ListedFlowBody } from './flow-list-bodies.ts'
import * as runs from './run-bodies.ts'
import { ScheduleBody } from './schedule-bodies.ts'
import { SearchBody } from './search-bodies.ts'
import { SENDER_EXAMPLES } from './senders/sender-examples.ts'
import { STATS_EXAMPLES } from './stats-examples.ts'
import * as tests from './test-bodies.ts'
import { CALLBACK_EXAMPLES } from './waiting/callback-examples.ts'

const FLOW = 'flow_01m7h52j4jwac4pp58gdhs4hc0'
const RUN = 'run_01m7h52jaz4k8wxqk7znewdprn'
const DELIVERY = 'dlv_01m7h52jaz4k8wxqk7znewdprn'
const WEBHOOK = 'MR9PYkE9rE0W3_sAS-xlgpfpgRchyCJI'
const URL = `https://millrace.example.com/api/v1/webhooks/${WEBHOOK}`
const at = (time: string) => `2026-11-16T08:00:${time}Z`

export const FLOW_DOCUMENT = {
  name: 'Hello',
  tags: ['greetings'],
  trigger: { kind: 'webhook' },
  steps: [{ id: 'greet', kind: 'set', vars: { greeting: "Hello, {{ webhook.body.name ?? 'world' }}!" } }],
}

const delivered = { name: 'Ada' }
const vars = { greeting: 'Hello, Ada!' }

const webhook = {
  body: delivered,
  headers: { host: 'millrace.example.com', 'content-type': 'application/json', 'user-agent': 'shop/1.0' },
  query: {},
  queryAll: {},
  rawBody: '{"name":"Ada"}',
  metadata: {
    requestId: 'req_01m7h52ja8sg78ben1fq7xf51n',
    receivedAt: at('00.425'),
    method: 'POST',
    path: `/api/v1/webhooks/${WEBHOOK}`,
    ip: '203.0.113.7',
    userAgent: 'shop/1.0',
    contentType: 'application/json',
    contentLength: 14,
    test: false,
  },
}

const flow: Static<typeof bodies.FlowBody> = {
  id: FLOW,
  name: 'Hello',
  slug: 'hello',
  status: 'published',
  tags: ['greetings'],
  trigger: 'webhook',
  revision: 1,
  webhook: { id: WEBHOOK, url: URL, testUrl: `${URL}/test` },
  draft: FLOW_DOCUMENT,
  published: { version: 1, publishedAt: '2026-11-15T16:20:00.000Z' },
  paused: null,
  createdAt: '2026-11-15T16:19:00.000Z',
  updatedAt: '2026-11-15T16:19:00.000Z',
  updatedBy: 'Ada',
}

const run: Static<typeof bodies.RunSummaryBody> = {
  id: RUN,
  flowId: FLOW,
  flowName: 'Hello',
  version: 1,
  status: 'succeeded',
  test: false,
  error: null,
  createdAt: at('00.447'),
  startedAt: at('00.475'),
  finishedAt: at('00.490'),
  replayOf: null,
  trigger: { kind: 'webhook' },
  parent: null,
  labels: { customer: 'Ada' },
}

const step: Static<typeof bodies.StepBody> = {
  path: 'greet',
  id: 'greet',
  kind: 'set',
  status: 'succeeded',
  attempt: 1,
  startedAt: at('00.479'),
  finishedAt: at('00.487'),
  input: { vars },
  output: vars,
  error: null,
  logs: [],
}

const inboxEntry: Static<typeof bodies.InboxEntryBody> = {
  id: DELIVERY,
  flowId: FLOW,
  receivedAt: at('00.447'),
  outcome: 'accepted',
  code: null,
  message: null,
  status: 200,
  runId: RUN,
  event: null,
  flowName: 'Hello',
}
const { flowName, ...delivery } = { ...inboxEntry, webhook }

const version = { version: 1, publishedAt: '2026-11-15T16:20:00.000Z', publishedBy: 'Ada Byron' }
const source = { source: 'flows', path: 'hello.yaml', revision: 1 }
const hours = Array.from({ length: 24 }, (_, hour) => ({ runs: hour === 23 ? 1 : 0, failed: 0 }))

const connection: Static<typeof connections.ConnectionBody> = {
  name: 'shop',
  kind: 'bearer',
  fields: {},
  secretFields: ['token'],
  outside: {},
  hosts: ['api.example.com'],
  flows: null,
  tags: null,
  state: 'ready',
  reason: null,
  expiresAt: null,
  certificate: null,
  usedBy: [{ id: FLOW, name: 'Hello' }],
  createdAt: '2026-11-15T16:10:00.000Z',
  updatedAt: '2026-11-15T16:10:00.000Z',
  lastTest: { at: '2026-11-15T16:12:00.000Z', verdict: 'accepted' },
}

const harEntry = {
  startedDateTime: at('00.479'),
  time: 8,
  request: { method: 'GET', url: 'https://api.example.com/orders/7', httpVersion: 'HTTP/1.1', headers: [] },
  response: { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers: [] },
  cache: {},
  timings: { send: 0, wait: 8, receive: 0 },
  comment: 'order',
}

const EXAMPLES: ReadonlyMap<TSchema, unknown> = new Map([
  ...ACCESS_EXAMPLES,
  ...SIGN_IN_EXAMPLES,
  ...STATS_EXAMPLES,
  ...FAILURE_EXAMPLES,
  example(ErrorBody, {
    status: 'error',
    code: CODE.not_found,
    message: `There is no flow ${FLOW}.`,
    requestId: 'req_01m7h468vcx79pxszhbhzkbk3p',
  }),
  example(bodies.FlowBody, flow),
  example(ListedFlowBody, flow),
  example(bodies.FlowSourceBody, { flowId: FLOW, ...source }),
  example(bodies.FlowSourceRequest, source),
  example(bodies.FlowStatsBody, {
    flowId: FLOW,
    lastRun: { id: RUN, status: 'succeeded', createdAt: at('00.447') },
    hours,
  }),
  example(bodies.ValidationBody, {
    issues: [{ path: '/steps/0/url', code: 'missing', message: 'url is missing' }],
    warnings: [],
  }),
  example(bodies.PublishedBody, { version: 1, warnings: [] }),
  example(bodies.VersionBody, version),
  example(bodies.VersionDocumentBody, { ...version, document: FLOW_DOCUMENT }),
  example(bodies.CurlBody, { curl: "curl 'https://api.example.com/orders/{{ webhook.body.id }}' \\\n  -L" }),
  example(ScheduleBody, {
    published: true,
    paused: false,
    timezone: 'Europe/Berlin',
    next: [{ at: '2026-11-17T06:00:00.000Z', runsAt: '2026-11-17T06:00:12.345Z' }],
    last: [{ at: '2026-11-16T06:00:00.000Z', run: RUN, status: 'succeeded' }],
  }),
  example(tests.FlowTestRequest, { webhook: { body: delivered } }),
  example(tests.StepTestRequest, { webhook: { body: delivered } }),
  example(tests.PinRequest, { output: vars }),
  example(tests.StepTestBody, {
    status: 'succeeded',
    input: { vars },
    output: vars,
    error: null,
    logs: [],
    durationMs: 2,
  }),
  example(tests.TestResultsBody, { steps: { greet: vars }, pinned: [] }),
  example(bodies.SampleRequest, { delivery: DELIVERY }),
  example(bodies.SampleBody, { id: 'smp_01m7h52kjjrb00ncm8cdgj7ht1', flowId: FLOW, receivedAt: at('00.425'), webhook }),
  example(bodies.DeliveryBody, delivery),
  example(bodies.NamedDeliveryBody, { ...delivery, flowName }),
  example(bodies.InboxEntryBody, inboxEntry),
  example(bodies.RunSummaryBody, run),
  example(SearchBody, {
    runs: [run],
    deliveries: [],
    labels: [{ name: 'customer', value: 'Ada', run: RUN }],
    flows: [],
  }),
  example(bodies.RunBody, { ...run, webhook, vars, children: [], steps: [step], onFailure: null }),
  ...ALERT_EXAMPLES,
  ...CALLBACK_EXAMPLES,
  ...SENDER_EXAMPLES,
  example(bodies.StepBody, step),
  example(runs.StartRunRequest, { input: { order: 'A-1001' } }),
  example(runs.StartedRunBody, { id: RUN, status: 'queued' }),
  example(runs.EndedRunBody, { id: RUN, status: 'succeeded', result: { invoice: 'A-1001-1' } }),
  example(runs.CallableFlowBody, {
    id: FLOW,
    name: 'Make an invoice',
    slug: 'make-invoice',
    description: null,
    mcp: true,
    input: { type: 'object', required: ['order'] },
  }),
  example(bodies.DocumentBody, { document: FLOW_DOCUMENT }),
  example(bodies.HarBody, {
    log: {
      version: '1.2',
      creator: { name: 'Millrace', version: '0.1.0' },
      entries: [harEntry],
      comment: `${RUN} of Hello; secrets are replaced by [secret], [masked] or ***`,
    },
  }),
  example(FixtureSchema, {
    now: at('00.425'),
    tests: [
      {
        name: `as in ${RUN}`,
        deliver: { body: delivered, headers: { 'content-type': 'application/json' }, authenticated: true },
        stubs: [],
        expect: { status: 'succeeded', vars, requests: [] },
      },
    ],
  }),
  example(bodies.WebhookReplyBody, { status: 'success', message: 'Webhook received', id: RUN }),
  example(bodies.AuditBody, {
    id: 'aud_01m7h52j8vf231pvxqhp905r9z',
    at: '2026-11-15T16:20:00.000Z',
    actor: 'ada@example.com',
    actorId: 'usr_01m7h4zq5rf0m2c8m0r2h7g6yt',
    action: 'flow.publish',
    target: { kind: 'flow', id: FLOW, name: 'Hello' },
    details: { version: 1 },
  }),
  example(connections.ConnectionRequest, {
    name: 'shop',
    kind: 'bearer',
    fields: { token: 'the-token-of-the-shop' },
    hosts: ['api.example.com'],
  }),
  example(connections.ConnectionChangeRequest, { fields: { token: 'a-new-token' } }),
  example(connections.ConnectionBody, connection),
  example(connections.ConnectionTestRequest, { url: 'https://api.example.com/me' }),
  example(connections.ConnectionTestBody, {
    verdict: 'accepted',
    status: 200,
    message: 'The API accepts the credentials.',
    durationMs: 84,
  }),
  example(connections.SecretConnectionRequest, {
    path: '/steps/0/auth/token',
    name: 'shop',
    kind: 'bearer',
    field: 'token',
    hosts: ['api.example.com'],
  }),
  example(connections.AuthorizationBody, {
    url: 'https://id.example.com/authorize?response_type=code&client_id=millrace&state=R0gCNNYPXt5WPnt1RL3fmY',
  }),
  example(bodies.KeysBody, {
    current: '48f68065',
    keys: [{ id: '48f68065', sealed: 2, given: true }],
    rotation: { status: 'idle', done: 0, total: 0, error: null },
  }),
  example(bodies.HealthBody, { status: 'ok' }),
  example(bodies.ReadyBody, { status: 'ready' }),
  example(bodies.SettingsBody, {
    version: '0.1.0',
    baseUrl: 'https://millrace.example.com',
    webhookBaseUrl: 'https://millrace.example.com',
    storage: 'sqlite',
    limits: {
      maxBodyBytes: 10_485_760,
      webhookRate: 0,
      maxQueue: 100_000,
      maxPaused: 100_000,
      concurrency: 256,
      httpConcurrency: 256,
      httpPerHost: 64,
      retentionDays: 30,
    },
    egressAllow: [],
    proxy: ['http://proxy.example.com:3128'],
    env: ['API_TOKEN'],
    config: { API_URL: 'https://api.example.com' },
  }),
  example(bodies.StepKindBody, {
    kind: 'stop',
    label: 'Stop',
    settings: { type: 'object', properties: {}, additionalProperties: false },
  }),
  example(bodies.ExampleBody, {
    id: 'hello',
    name: 'Hello',
    description: 'The smallest flow that does something.',
    document: FLOW_DOCUMENT,
    text: '# Hello: the smallest flow that does something.\nname: Hello\n',
  }),
  example(bodies.McpMessage, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_flows', arguments: { limit: 5 } },
  }),
  example(bodies.McpReplyBody, {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '{"items":[],"nextCursor":null}' }] },
  }),
])

interface ListSchema {
  properties?: { items?: { items?: TSchema }; nextCursor?: unknown }
}

/** Of a body, or of a list of them; undefined where there is none. */
export function exampleOf(schema: TSchema): unknown {
  const found = EXAMPLES.get(schema)
  const { items, nextCursor } = (schema as ListSchema).properties ?? {}
  if (found !== undefined || !items?.items) return found
  const item = EXAMPLES.get(items.items)
  return item && { items: [item], ...(nextCursor ? { nextCursor: null } : {}) }
}
