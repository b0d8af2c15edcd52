// Checks that the dashboard and the alert rules use only metrics that Millrace exports.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { scrape } from '../harness/scrape.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; datasource: { uid: string } }[]
}
const dashboard = JSON.parse(read('deploy/grafana-dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; query: string | { query: string } }[] }
}
const { groups } = load(read('deploy/alerts.yaml')) as {
  groups: { rules: { alert: string; expr: string; labels: object; annotations: Record<string, string> }[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...rules.map(({ expr }) => expr),
]

const KEYWORDS = new Set(['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring', 'bool'])
/** The labels that Prometheus adds itself. */
const ADDED = new Set(['job', 'instance'])
const LABELS = /(\w+)\s*(?:=~|!~|!=|=)\s*"/g

interface Asked {
  metrics: string[]
  /** Each metric with the labels by which it is selected. */
  selected: { metric: string; labels: string[] }[]
  /** The labels by which sums are grouped. */
  kept: string[]
}

function asked(expr: string): Asked {
  const selected = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, metric, matchers]) => ({
    metric: metric!,
    labels: [...matchers!.matchAll(LABELS)].map((match) => match[1]!),
  }))
  const groupings = [...expr.matchAll(/\b(?:by|without) \(([^)]*)\)/g)]
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without) \([^)]*\)/g, '')
    .matchAll(/[a-zA-Z_]\w*(?!\w*\s*\()/g)
  return {
    metrics: [...bare].map(([name]) => name).filter((name) => !KEYWORDS.has(name)),
    selected,
    kept: groupings.flatMap((match) => match[1]!.split(',').map((name) => name.trim())),
  }
}

let millrace: Millrace
let upstream: Upstream
/** The labels of each exported metric. */
const exported = new Map<string, Set<string>>([['up', new Set()]])

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_AUDIT_SYSLOG: 'udp://127.0.0.1:9' })
  upstream = await startUpstream()
  const { post } = await millrace.publish({
    name: 'Seen',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'call', kind: 'http', method: 'GET', url: upstream.url }],
  })
  await millrace.runEnded((await post({})).body.id)
  for (const sample of (await scrape(millrace)).keys()) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(sample)!
    const known = exported.get(name!) ?? new Set()
    for (const [, label] of labels.matchAll(LABELS)) known.add(label!)
    exported.set(name!, known)
  }
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

describe('the dashboard and the alert rules', () => {
  it('ask for metrics and labels that a server exports after one delivery', () => {
    expect(expressions.length).toBeGreaterThan(25)
    for (const expr of expressions) {
      const { metrics, selected, kept } = asked(expr)
      expect(metrics.length, expr).toBeGreaterThan(0)
      for (const metric of metrics) expect(exported.has(metric), `${metric} in ${expr}`).toBe(true)
      for (const { metric, labels } of selected)
        for (const label of labels)
          expect(ADDED.has(label) || exported.get(metric)!.has(label), `${label} of ${metric} in ${expr}`).toBe(true)
      for (const label of kept)
        expect(
          ADDED.has(label) || metrics.every((metric) => exported.get(metric)!.has(label)),
          `${label}: ${expr}`,
        ).toBe(true)
    }
  })

  it('choose every metric by its job', () => {
    for (const expr of expressions) {
      const { metrics, selected } = asked(expr)
      expect(
        selected.filter(({ labels }) => labels.includes('job')).map(({ metric }) => metric),
        expr,
      ).toEqual(metrics)
    }
  })

  it('are written so that every bracket is closed', () => {
    for (const expr of expressions)
      for (const [open, close] of ['()', '{}', '[]'])
        expect(expr.split(open!).length, expr).toBe(expr.split(close!).length)
  })
})

describe('the dashboard', () => {
  it('shows all that there is to watch, side by side', () => {
    const shown = expressions.join('\n')
    for (const name of exported.keys())
      if (name.startsWith('millrace_')) expect(shown).toContain(name.replace(/_(bucket|sum|count)$/, ''))
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })

  it('uses variables that it defines, and no data source of ours', () => {
    const defined = new Set(dashboard.templating.list.map(({ name }) => name))
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map((match) => match[1]!)
    expect([...new Set(used)].filter((name) => !defined.has(name) && !name.startsWith('__'))).toEqual([])
    for (const { targets = [] } of dashboard.panels)
      for (const { datasource } of targets) expect(datasource.uid).toBe(`\${datasource}`)
    for (const { query } of dashboard.templating.list)
      if (typeof query === 'object') expect(exported.has(/\((\w+)/.exec(query.query)![1]!)).toBe(true)
  })
})

describe('the alert rules', () => {
  it('each have a severity, a summary, and a heading that says what to do', () => {
    const headings = [...read('docs/operating.md').matchAll(/^#### (\w+)$/gm)].map((match) => match[1]!)
    expect(rules.map(({ alert }) => alert)).toEqual(headings)
    for (const { alert, labels, annotations } of rules) {
      expect(labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) })
      expect(annotations['summary']).toMatch(/\S/)
      expect(annotations['runbook']).toBe(`docs/operating.md#${alert.toLowerCase()}`)
    }
  })
})
