// Checks the documentation against the code: settings, routes, step kinds, metrics and links; error-codes.test.ts has codes.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withAccessTable } from '../scripts/access-page.ts'
import { guidePages, withFoot, withoutFoot } from '../scripts/guide.ts'
import { senderFiles } from '../src/app/senders/sender-files.ts'
import { type Needed, neededWords } from '../src/base/scopes.ts'
import { commands } from '../src/cli/commands/index.ts'
import { EXIT } from '../src/cli/exit-code.ts'
import { reference } from '../src/cli/reference.ts'
import { ARRAY_METHODS } from '../src/flow/expression/functions/array-methods.ts'
import { DATE_METHODS } from '../src/flow/expression/functions/date-methods.ts'
import { GLOBAL_FUNCTIONS, NAMESPACE_FUNCTIONS } from '../src/flow/expression/functions/global-functions.ts'
import { NUMBER_METHODS } from '../src/flow/expression/functions/number-methods.ts'
import { STRING_METHODS } from '../src/flow/expression/functions/string-methods.ts'
import { ROOTS } from '../src/flow/expression/values/bindings.ts'
import { fixtureSchema } from '../src/flow/fixture.ts'
import { editorSchema, flowSchema } from '../src/flow/flow-schema.ts'
import { parseFlowText } from '../src/flow/flow-text.ts'
import { publishIssues, validate } from '../src/flow/validate/validate.ts'
import { ACCESS } from '../src/http/access/access.ts'
import { tools } from '../src/mcp/tools.ts'
import { stepKinds } from '../src/steps/index.ts'
import { documentOf } from './harness/guide-page.ts'
import { anchors } from './harness/headings.ts'

const root = resolve(import.meta.dirname, '..')
/** Returns the text, with tables without the white space that aligns their columns. */
const read = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/ +\|/g, ' |')
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })

const without = (names: Iterable<string>, text: string): string[] => [...names].filter((name) => !text.includes(name))

describe('the documentation', () => {
  it('names the settings that there are, each in its table, and no others', () => {
    const settings = /(?<!\w)(?:MILLRACE_(?!(?:ENV|VAR)_)[A-Z_]+|DATABASE_URL)(?!\w)/g
    const known = new Set(read('src/app/config.ts').match(settings))
    const inTable = read('docs/configuration.md').match(/(?<=^\| `)[A-Z_]+/gm)!
    expect(inTable.filter((name) => !/^MILLRACE_(ENV|VAR)_$/.test(name)).toSorted()).toEqual([...known].toSorted())
    for (const page of pages) expect((read(page).match(settings) ?? []).filter((name) => !known.has(name))).toEqual([])
  })

  it('has every route, and a command that calls it', () => {
    const text = read('docs/api.md')
    const calls = [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
      .flatMap(([, commands]) => commands!.replaceAll('\\\n', ' ').split('\n'))
      .flatMap((line) => [...line.matchAll(/curl ([^|]*?)"?(\$API|\$URL|http:\/\/localhost:8080)([^"?\s]*)/g)])
      .map(([, options, base, path]) => `${/-X (\w+)/.exec(options!)?.[1] ?? 'GET'} ${BASES[base!]}${path}`)
    for (const route of Object.keys(ACCESS)) {
      expect(text).toContain(`\`${route}\``)
      const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`)
      expect(calls.filter((call) => pattern.test(call)).length, route).toBeGreaterThan(0)
    }
  })

  it('is a guide with an order: the index has every page once, and each page leads to the next', () => {
    const order = guidePages(readFileSync(join(root, 'docs/README.md'), 'utf8'))
    const files = globSync('*.md', { cwd: join(root, 'docs') }).filter((file) => file !== 'README.md')
    expect(order.map(({ file }) => file).toSorted(), 'docs/README.md names them').toEqual(files.toSorted())
    for (const { file } of order) {
      const text = readFileSync(join(root, 'docs', file), 'utf8')
      expect(text, 'node scripts/generate.ts writes the foot').toBe(withFoot(text, file, order))
    }
  })

  it('has every command as the command table has it', () => {
    const text = readFileSync(join(root, 'docs/cli.md'), 'utf8')
    expect(withoutFoot(text).split('<!-- generated from here -->\n\n')[1], 'node scripts/generate.ts writes it').toBe(
      reference(commands),
    )
    for (const code of Object.values(EXIT)) expect(text).toContain(`| ${code} `)
  })

  it('has the routes and their scopes as the service checks them', () => {
    const text = readFileSync(join(root, 'docs/access.md'), 'utf8')
    expect(text, 'node scripts/generate.ts writes it').toBe(withAccessTable(text))
  })

  it('has the JSON Schemas of flows and of their tests for editors, as the code has it', () => {
    const schemas = { flow: editorSchema(flowSchema(stepKinds)), 'flow-test': fixtureSchema() }
    for (const [name, schema] of Object.entries(schemas)) {
      const made = JSON.parse(JSON.stringify(schema))
      expect(JSON.parse(read(`docs/${name}.schema.json`)), 'node scripts/generate.ts writes it').toEqual(made)
    }
  })

  it('has every tool of MCP with the scope that it needs', () => {
    const rows = [...read('docs/mcp.md').matchAll(/^\| `(\w+_\w+)` +\| ([^|]+) \|/gm)].map(([, name, needs]) => [
      name,
      needs,
    ])
    const words = (needs: Needed) => neededWords(needs, '`') || 'any token'
    expect(rows).toEqual(tools.map(({ name, needs }) => [name, words(needs)]))
  })

  it('has every step kind and its settings', () => {
    const text = read('docs/flows.md')
    for (const { kind, settings } of stepKinds.values()) {
      expect(text).toContain(`### \`${kind}\``)
      const page = kind === 'http' ? read('docs/http-request.md') : text
      const { properties } = settings as unknown as { properties: Record<string, unknown> }
      expect(without(Object.keys(properties), page)).toEqual([])
    }
  })

  it('has every method and function of expressions', () => {
    const text = read('docs/expressions.md')
    const row = (start: string) => text.split('\n').find((line) => line.startsWith(start))!
    const quoted = (line: string) => [...line.matchAll(/`(\w+)/g)].map((match) => match[1]!)
    const names = (methods: object) => Object.keys(methods).toSorted()
    expect(quoted(row('| text |')).toSorted()).toEqual(names(STRING_METHODS))
    expect(quoted(row('| lists |')).toSorted()).toEqual(names(ARRAY_METHODS))
    expect(quoted(row('| numbers |')).toSorted()).toEqual(names(NUMBER_METHODS))
    const dates = quoted(row('| dates |')).filter((name) => name !== 'getUTC')
    expect(dates.toSorted()).toEqual(names(DATE_METHODS).filter((name) => !name.startsWith('getUTC')))
    expect(without(GLOBAL_FUNCTIONS.keys(), text)).toEqual([])
    for (const name of NAMESPACE_FUNCTIONS.keys()) {
      const [space, called] = name.split('.') as [string, string]
      if (space !== 'Math') expect(quoted(row(`| \`${space}.\` |`))).toContain(called)
    }
  })

  it('says which data expressions can read, and where', () => {
    const text = read('docs/expressions.md')
    const cells = (start: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`| ${start} |`))
        ?.split('|')[2] ?? ''
    const quoted = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]!)
    for (const root of ROOTS) expect(text, root).toMatch(new RegExp(`^\\| .*\`${root}(\\.<[^|]*)?\`.* \\|`, 'm'))
    const fieldsOf = (name: string) =>
      [
        ...new RegExp(`interface ${name} \\{([^}]*)`).exec(read('src/engine/run-bindings.ts'))![1]!.matchAll(/(\w+):/g),
      ].map((match) => match[1]!)
    for (const [root, name] of Object.entries({ run: 'RunIdentity', flow: 'FlowIdentity' }))
      expect(quoted(cells(`\`${root}\``)).filter((word) => word !== 'null')).toEqual(fieldsOf(name))
    for (const [place, flowWith] of Object.entries(PLACES)) {
      const readable = ROOTS.filter((root) => {
        const reference = READ[root] ?? `{{ ${root}.id }}`
        const found = validate(flowWith(reference), stepKinds, {
          connections: SHOWN_CONNECTIONS,
          env: new Set(),
          config: new Set(),
        })
        return !publishIssues(found).some(({ code }) => code === 'unknown_reference')
      })
      expect(quoted(cells(place)).toSorted(), place).toEqual(readable.toSorted())
    }
  })

  it('shows flows, triggers and steps that can be published', () => {
    const found: string[] = []
    let count = 0
    for (const page of pages)
      for (const [, text] of read(page).matchAll(/```yaml\n([\s\S]*?)```/g)) {
        const document = documentOf(parseFlowText(text!))
        if (!document) continue
        count++
        const surroundings = {
          connections: SHOWN_CONNECTIONS,
          env: new Set<string>(),
          config: new Set<string>(),
          senders: senderFiles,
        }
        const issues = publishIssues(validate(document, stepKinds, surroundings))
        // Snippets refer to steps that they do not show.
        for (const { path, code, message } of issues)
          if (code !== 'unknown_step' && code !== 'unknown_variable') found.push(`${page} ${path}: ${message}`)
      }
    expect(found).toEqual([])
    expect(count).toBeGreaterThan(15)
  })

  it('lists each thing once in the changelog', () => {
    const beginnings = [...read('CHANGELOG.md').matchAll(/^- (.{24})/gm)].map((match) => match[1]!)
    expect(beginnings.filter((beginning, i) => beginnings.indexOf(beginning) !== i)).toEqual([])
  })

  it('has every metric', () => {
    const names = [...read('src/http/metrics.ts').matchAll(/'(millrace_\w+)'/g)].map((match) => match[1]!)
    expect(names.length).toBeGreaterThan(5)
    expect(without(names, read('docs/operating.md'))).toEqual([])
  })

  it('links to files and headings that there are', () => {
    const broken: string[] = []
    for (const page of pages)
      for (const [, target] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target!)) continue
        const [path, heading] = target!.split('#') as [string, string | undefined]
        const file = path === '' ? page : join(dirname(page), path)
        if (!existsSync(join(root, file)) || (heading && !anchors(read(file)).includes(heading)))
          broken.push(`${page}: ${target}`)
      }
    expect(broken).toEqual([])
  })

  it('is what the code refers to: by files and headings that there are, and as nothing else', () => {
    const broken: string[] = []
    let count = 0
    for (const file of globSync(['{src,test,web/src,bench,scripts}/**/*.{ts,tsx,js,mjs}'], { cwd: root })) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const [target, path, heading] of text.matchAll(/\b(docs\/[\w/-]+\.(?:md|json))(?:#([\w-]+))?/g)) {
        count++
        if (!existsSync(join(root, path!)) || (heading && !anchors(read(path!)).includes(heading)))
          broken.push(`${file}: ${target}`)
      }
      // Only external standards may be cited by the number of a section.
      for (const [cited] of text.matchAll(/\bcontract \u00a7[\d.]*/g)) broken.push(`${file}: ${cited}`)
    }
    expect(broken).toEqual([])
    expect(count).toBeGreaterThan(20)
  })

  it('speaks of no host but examples and this machine, and where it compares, of those it compares with', () => {
    const allowed = /(^|\.)example\.(?:com|net)$|^localhost$|^127\.0\.0\.1$|^schemas\.xmlsoap\.org$/
    const compared = ['github.com', 'docs.n8n.io', 'nodered.org', 'flows.nodered.org', 'www.activepieces.com']
    for (const page of pages.filter((name) => name.startsWith('docs'))) {
      const hosts = [...read(page).matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]!)
      const others = hosts.filter((host) => !allowed.test(host) && host !== 'html.spec.whatwg.org')
      expect(others.filter((host) => page !== 'docs/compare.md' || !compared.includes(host))).toEqual([])
    }
  })

  it('compares with the last results of the benchmark', () => {
    const cells = (text: string, start: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(start))!
        .split('|')
        .map((cell) => cell.trim())
    const ratio = (arch: string, target: string, scenario: string, sockets: number) =>
      cells(read(`bench/results/${arch}.md`), `| ${scenario} | ${sockets} | ${target} |`)[5]
    const compared = read('docs/compare.md')
    for (const scenario of ['A', 'B', 'C'])
      for (const [start, sockets] of [
        [`| ${scenario}:`, 64],
        [`| ${scenario}, `, 1],
      ] as const)
        expect([start, ...cells(compared, start).slice(2, 6)]).toEqual([
          start,
          ratio('x64', 'millrace', scenario, sockets),
          ratio('x64', 'node-red', scenario, sockets),
          ratio('x64', 'node-red, no editor', scenario, sockets),
          ratio('arm64', 'millrace', scenario, sockets),
        ])
  })
})

/** For each root, a reference that is not known to be missing. */
const READ: Record<string, string> = {
  webhook: '{{ webhook.body }}',
  steps: '{{ steps.first }}',
  vars: '{{ vars.x }}',
  connections: '{{ connections.shop.token }}',
  loop: '{{ loop.item }}',
  loops: '{{ loops.all.item }}',
  error: '{{ error.code }}',
}

/** Builds a flow with an expression in each place that docs/expressions.md names. */
const PLACES: Record<string, (expression: string) => object> = (() => {
  const first = { id: 'first', kind: 'set', vars: { x: 1 } }
  const flow = (trigger: object, ...steps: object[]) => ({
    name: 'Shown',
    trigger: { kind: 'webhook', ...trigger },
    steps: [first, ...steps],
  })
  const last = (value: string) => ({ id: 'last', kind: 'set', vars: { y: value } })
  return {
    "the trigger's `auth`": (value) => flow({ auth: { kind: 'header', name: 'x-key', value } }),
    "the trigger's `when` and `dedupe`": (value) => flow({ when: value, dedupe: { key: value, window: 60 } }),
    'an `immediate` reply': (value) => flow({ response: { mode: 'immediate', reveal: true, body: { value } } }),
    'a `finished` reply': (value) => flow({ response: { mode: 'finished', reveal: true, body: { value } } }),
    'its `error` reply': (value) => flow({ response: { mode: 'finished', reveal: true, error: { body: { value } } } }),
    'a step': (value) => flow({}, last(value)),
    'a step inside a loop': (value) =>
      flow({}, { id: 'all', kind: 'loop', each: '{{ webhook.body }}', steps: [last(value)] }),
  }
})()

/** The connections that the pages mention. */
const SHOWN_CONNECTIONS = new Map(
  Object.entries({
    shop: { kind: 'bearer', fields: new Set(['token']) },
    mail: { kind: 'basic', fields: new Set(['username', 'password']) },
    maps: { kind: 'apiKey', fields: new Set(['name', 'value', 'in']) },
    partner: { kind: 'custom', fields: new Set(['signing_key']) },
    crm: { kind: 'oauth2', fields: new Set(['clientId', 'accessToken']) },
    bank: { kind: 'tls', fields: new Set(['certificate', 'key']), tls: true },
  }),
)

const BASES: Record<string, string> = {
  $API: '/api/v1',
  $URL: '/api/v1/webhooks/id',
  'http://localhost:8080': '',
}

const withoutCode = (text: string): string => text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
