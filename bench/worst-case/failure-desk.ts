// The worst of what the failure desk takes: labels, searches, alerts, and replays with changes.
import { Decision, decideEvents } from '../../src/operations/alerts/decide.ts'
import type { AlertRecord } from '../../src/operations/ports/alerts/alerts.ts'
import { type Input, JSON_INPUTS } from './inputs.ts'
import type { Surface } from './surfaces.ts'

const filled = (unit: string, n: number): string => unit.repeat(Math.ceil(n / unit.length))
const listed = (n: number, unit: (i: number) => string): string => {
  let text = ''
  for (let i = 0; text.length < n; i++) text += unit(i)
  return text
}
const family = (grammar: string, inputs: Record<string, Input['make']>): Input[] =>
  Object.entries(inputs).map(([name, make]) => ({ grammar, name, make }))

const labeled = (labels: string): string =>
  `{"name":"x","trigger":{"kind":"webhook","labels":{${labels}}},"steps":[{"id":"z","kind":"stop"}]}`

/** Flows whose labels are the worst. */
const LABELED_FLOWS = family('labels', {
  'many labels': (n) => labeled(`${listed(n, (i) => `"l${i}":"{{ webhook.body }}",`)}"z":"1"`),
  'names that cannot be': (n) => labeled(`${listed(n, (i) => `"L ${i}":"1",`)}"z":"1"`),
  'a long name': (n) => labeled(`"${filled('a', n)}":"1"`),
  'a long template': (n) => labeled(`"a":"${filled('{{ webhook.body.id }}', n)}"`),
  'unknown references': (n) => labeled(`"a":"${listed(n, (i) => `{{ steps.q${i} }}`)}"`),
  'one long sum': (n) => labeled(`"a":"{{ 1${filled('+1', n)} }}"`),
})

const SEARCHES = family('search', {
  letters: (n) => 'a'.repeat(n),
  'signs of patterns': (n) => filled('%_', n),
  backslashes: (n) => '\\'.repeat(n),
  'ids of runs': (n) => `run_${'0'.repeat(n)}`,
  'combining marks': (n) => '\u0301'.repeat(n),
  'halves of pairs': (n) => '\ud83d'.repeat(n),
  quotes: (n) => filled(`'"`, n),
})

const alert = (target: string, more = ''): string =>
  `{"rule":"failures","count":1,"minutes":1,${more}"target":${target}}`
const webhook = (url: string, secret = ''): string => `{"kind":"webhook","url":"${url}"${secret}}`

const ALERTS = family('alert', {
  'many addresses': (n) => alert(`{"kind":"email","to":[${listed(n, (i) => `"a${i}@b.c",`)}"a@b.c"]}`),
  'a long address': (n) => alert(`{"kind":"email","to":["${filled('a', n)}@b.c"]}`),
  'an address of signs': (n) => alert(`{"kind":"email","to":["${filled('a@', n)}"]}`),
  'a long URL': (n) => alert(webhook(`https://a.example/${filled('%41', n)}`)),
  'a URL of hosts': (n) => alert(webhook(`https://${filled('a.', n)}b`)),
  'a URL of users': (n) => alert(webhook(`https://${filled('a@', n)}b`)),
  'a long secret': (n) => alert(webhook('https://a.example', `,"secret":"whsec_${filled('A', n)}!"`)),
  'a long tag': (n) => alert(webhook('https://a.example'), `"tag":"${filled('a', n)}",`),
  'a long flow': (n) => alert(webhook('https://a.example'), `"flow":"${filled('a', n)}",`),
  'keys that are not known': (n) =>
    alert(
      webhook('https://a.example'),
      listed(n, (i) => `"k${i}":1,`),
    ),
  'a large number': (n) => `{"rule":"queue_age","seconds":${filled('9', n)},"target":${webhook('https://a.example')}}`,
})

/** The steps of the flow whose replays are changed. */
const STEPS = 200
export const manySteps = (): object[] =>
  Array.from({ length: STEPS }, (_, i) => ({ id: `s${i}`, kind: 'set', vars: { a: i } }))

const changed = (inputs: readonly Input[], wrap: (text: string) => string): Input[] =>
  inputs.map(({ grammar, name, make }) => ({ grammar, name: `${wrap('…')} of ${name}`, make: (n) => wrap(make(n)) }))

const CHANGES = [
  ...changed(
    JSON_INPUTS.filter(({ name }) =>
      ['empty objects', 'names that differ', 'numbers', 'broken percent escapes', 'secrets'].includes(name),
    ),
    (text) => `{"webhook":{"body":${text}}}`,
  ),
  ...changed(
    JSON_INPUTS.filter(({ name }) => ['empty objects', 'names that differ', 'secrets'].includes(name)),
    (text) => `{"steps":{"s0":${text}}}`,
  ),
  ...family('changes', {
    'many steps': (n) => `{"steps":{${listed(n, (i) => `"s${i % STEPS}":${i},`)}"s0":1}}`,
    'many paths to one step': (n) => `{"steps":{${listed(n, (i) => `"a${i}/s${STEPS - 1}":1,`)}"s0":1}}`,
    'steps that there are not': (n) => `{"steps":{${listed(n, (i) => `"q${i}":1,`)}"s0":1}}`,
    'a long path': (n) => `{"steps":{"${filled('a/', n)}":1}}`,
    headers: (n) => `{"webhook":{"headers":{${listed(n, (i) => `"x-${i}":"a",`)}"a":"b"}}}`,
    'a long header': (n) => `{"webhook":{"headers":{"a":"${filled('b', n)}"}}}`,
    query: (n) => `{"webhook":{"query":{${listed(n, (i) => `"q${i}":"a",`)}"a":"b"}}}`,
  }),
]

interface DeskPaths {
  /** Of the webhook whose trigger has labels. */
  labeled: string
  /** The id of a run of the flow with many steps. */
  run: string
  post(path: string): (text: string) => () => unknown
  read(path: string): Promise<unknown>
}

/** As many rules as an owner may make, and the ends of runs that are held against them at once. */
const RULES: Input[] = [{ grammar: 'rules', name: 'failures in minutes', make: (n) => 'x'.repeat(n) }]
const RULE_LENGTH = 1_000
const ENDS = 200

function decides(text: string): () => void {
  const record = { rule: 'failures', count: 1_000_000, minutes: 60, flowId: null, tag: null } as AlertRecord
  const alerts = Array.from({ length: text.length / RULE_LENGTH }, (_, i) => ({ ...record, id: `alr_${i}` }))
  const end = { kind: 'failed' as const, flowId: 'flow_1', runId: null, code: null }
  const events = Array.from({ length: ENDS }, (_, i) => ({ ...end, id: `run_${i}`, at: i * 3_600 }))
  return () => decideEvents(new Decision(new Map()), alerts, events, new Map())
}

export const deskSurfaces = ({ labeled: path, run, post, read }: DeskPaths): Surface[] => [
  { name: 'labels of a flow', who: 'a reader', inputs: LABELED_FLOWS, prepare: post('/api/v1/flows/validate') },
  {
    name: 'labels of a delivery',
    who: 'a sender',
    inputs: JSON_INPUTS.filter(({ name }) => !name.includes('without an end')),
    prepare: post(path),
  },
  {
    name: 'search for anything',
    who: 'a reader',
    inputs: SEARCHES,
    // What is longer is refused.
    most: 200,
    prepare: (text) => () => read(`/search?q=${encodeURIComponent(text.toWellFormed())}`),
  },
  { name: 'alerts', who: 'an owner', inputs: ALERTS, most: 16_000, prepare: post('/api/v1/alerts') },
  { name: 'ends of runs', who: 'an owner', inputs: RULES, prepare: decides },
  { name: 'replay with changes', who: 'an editor', inputs: CHANGES, prepare: post(`/api/v1/runs/${run}/replay`) },
]

/** Labels that make the most of a delivery. */
export const WORST_LABELS = {
  a: '{{ webhook.body }}',
  b: '{{ webhook.rawBody }}',
  c: '{{ webhook.body[0] }}',
  d: '{{ webhook.body.a }}',
  e: 'x {{ webhook.body }}',
  f: '{{ webhook.rawBody }}{{ webhook.rawBody }}',
  g: '{{ webhook.headers }}',
  h: '{{ webhook.body }}',
  i: '{{ webhook.rawBody.trim() }}',
  j: '{{ webhook.rawBody.toLowerCase() }}',
}
