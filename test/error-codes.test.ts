// Checks the catalogue of error codes against docs/, and the code against the catalogue.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_ERRORS, CODE, DELIVERY_ERRORS, filled, ISSUES, STEP_ERRORS } from '../src/base/error-catalogue.ts'
import { statusFailure } from '../src/steps/http/failure.ts'
import { sectionAt } from './harness/headings.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = globSync('docs/*.md', { cwd: root })

/** Returns the rows of a page's tables that have a column for codes. */
function codeRows(text: string): { code: string; status: string | undefined }[] {
  const lines = text.split('\n')
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return lines.flatMap((line, i) => {
    const isHead = /^\| *:?---/.test(lines[i + 1] ?? '')
    const head = isHead ? cells(line).map((cell) => cell.replaceAll('`', '').toLowerCase()) : []
    if (!head.includes('code')) return []
    const rest = lines.slice(i + 2)
    const end = rest.findIndex((row) => !row.startsWith('|'))
    return rest
      .slice(0, end)
      .map(cells)
      .map((row) => ({
        code: row[head.indexOf('code')]!.replaceAll('`', ''),
        status: row[head.indexOf('status')]?.slice(0, 3),
      }))
  })
}

function sectionOf(docs: string): string {
  const [file, heading] = docs.split('#') as [string, string]
  return sectionAt(read(file), heading)
}

const issueCodes: readonly string[] = Object.values(ISSUES).flat()

describe('the codes of the catalogue', () => {
  it('stand in the docs where it says, those of the API with their status', () => {
    for (const [code, { status, docs }] of Object.entries(API_ERRORS))
      for (const place of new Set([docs, 'docs/api.md#errors']))
        expect(codeRows(sectionOf(place)), place).toContainEqual({ code, status: String(status) })
    for (const [code, { docs }] of Object.entries(STEP_ERRORS))
      expect(codeRows(sectionOf(docs)), docs).toContainEqual({ code, status: undefined })
    for (const [docs, codes] of Object.entries(ISSUES))
      for (const code of codes) expect(sectionOf(docs), docs).toContain(`\`${code}\``)
  })

  it('are all that the docs name, in tables and beside a status', () => {
    let count = 0
    for (const page of pages) {
      for (const { code, status } of codeRows(read(page))) {
        count++
        const known: Record<string, object> = status === undefined ? STEP_ERRORS : API_ERRORS
        expect(Object.keys(known), page).toContain(code)
        if (status !== undefined) expect(known[code], `${page}: ${code}`).toMatchObject({ status: Number(status) })
      }
      for (const [, status, code] of read(page).matchAll(/\b([45]\d\d) `(\w+)`/g))
        expect({ page, code, status: API_ERRORS[code as keyof typeof API_ERRORS]?.status }).toEqual({
          page,
          code,
          status: Number(status),
        })
    }
    expect(count).toBeGreaterThan(60)
    const listed = /has one of these codes: ([\s\S]*?)\n\n/.exec(read('docs/flows.md'))![1]!
    expect([...listed.matchAll(/`(\w+)`/g)].map((match) => match[1]!).toSorted()).toEqual(
      ISSUES['docs/flows.md#drafts-versions-and-runs'].toSorted(),
    )
  })

  it('are refusals of a delivery exactly where the checks of webhooks name them', () => {
    const named = new Set(codeRows(sectionOf('docs/webhooks.md#checks')).map(({ code }) => code))
    expect([...named].toSorted()).toEqual(Object.keys(DELIVERY_ERRORS).toSorted())
  })

  it('cover every status that a reply can have', () => {
    for (let status = 400; status < 600; status++)
      expect(Object.keys(STEP_ERRORS)).toContain(statusFailure(status, 'https://api.example.com').code)
  })
})

describe('the code', () => {
  const exclude = ['**/*.test.ts', '**/*.testkit.ts', 'src/base/error-catalogue.ts']
  const sources = globSync('src/**/*.ts', { cwd: root, exclude }).toSorted()
  const written = (pattern: RegExp) =>
    sources.flatMap((file) => [...read(file).matchAll(pattern)].map((match) => ({ file, code: match[1]! })))

  it('takes every code of an error from the catalogue', () => {
    const whole = Object.keys(CODE).filter((code) => code.includes('_'))
    // A token endpoint answers with the codes of its standard, one of which has the same name.
    const anywhere = written(new RegExp(`(?<!TokenRefused\\()'(${whole.join('|')})'`, 'g'))
    const words = Object.keys(CODE).filter((code) => !code.includes('_'))
    const given = written(
      new RegExp(
        `(?:\\bcode(?::| [!=]==) |(?:Error|Unusable|[fF]ailure|refuse)\\((?:[^()']*,)?\\s*)'(${words.join('|')})'`,
        'g',
      ),
    )
    expect([...anywhere, ...given]).toEqual([])
  })

  it('gives an issue no code that the catalogue has not', () => {
    const unknown = written(/\bcode: '([a-z]\w*)'/g).filter(({ code }) => !issueCodes.includes(code))
    expect(unknown).toEqual([
      // The codes here are the keywords of JSON Schema and this one.
      { file: 'src/contract/shape-issues.ts', code: 'shape' },
      // The types of columns.
      { file: 'src/storage/postgres/deliveries.ts', code: 'text' },
      { file: 'src/storage/postgres/run-statements.ts', code: 'text' },
    ])
  })
})

describe('a message of the catalogue', () => {
  it('takes its values as they are, whatever they hold', () => {
    const values = { host: '{fault} $& {host}', fault: '$1' }
    expect(filled('{host} failed ({fault})', values)).toBe('{fault} $& {host} failed ($1)')
  })
})
