// The results of tests of flows: for people, as TAP, or as JUnit XML.
import { ABSENT, type Difference } from '../../testing/match.ts'
import type { Terminal } from './terminal.ts'

export interface TestResult {
  file: string
  name: string
  /** What went wrong, line by line; none: it passed. */
  faults: string[]
  durationMs: number
}

export type Reporter = (terminal: Terminal, results: readonly TestResult[]) => string

export const REPORTERS: Readonly<Record<string, Reporter>> = { plain, tap, junit }

function plain(terminal: Terminal, results: readonly TestResult[]): string {
  const lines: string[] = []
  let file = ''
  for (const result of results) {
    if (result.file !== file) lines.push(...(file ? [''] : []), terminal.style('bold', result.file))
    file = result.file
    const passed = result.faults.length === 0
    lines.push(`  ${passed ? terminal.style('green', 'ok') : terminal.style('red', 'FAILED')}  ${result.name}`)
    lines.push(...result.faults.flatMap((fault) => fault.split('\n')).map((line) => `        ${line}`))
  }
  const failed = results.filter(({ faults }) => faults.length).length
  const summary = failed
    ? terminal.style('red', `${failed} of ${results.length} failed`)
    : terminal.style('green', `${results.length} passed`)
  return [...lines, '', summary].join('\n')
}

function tap(_terminal: Terminal, results: readonly TestResult[]): string {
  const lines = results.flatMap(({ file, name, faults }, i) => [
    `${faults.length ? 'not ok' : 'ok'} ${i + 1} - ${file}: ${name.replaceAll('#', '\\#')}`,
    ...(faults.length
      ? ['  ---', '  message: |', ...faults.flatMap((fault) => fault.split('\n')).map((line) => `    ${line}`), '  ...']
      : []),
  ])
  return ['TAP version 14', `1..${results.length}`, ...lines].join('\n')
}

function junit(_terminal: Terminal, results: readonly TestResult[]): string {
  const suites = Map.groupBy(results, ({ file }) => file)
  const lines = [...suites].flatMap(([file, tests]) => [
    `  <testsuite name="${xml(file)}" tests="${tests.length}" failures="${failures(tests)}" time="${seconds(tests)}">`,
    ...tests.flatMap((test) => [
      `    <testcase classname="${xml(file)}" name="${xml(test.name)}" time="${seconds([test])}"${test.faults.length ? '>' : '/>'}`,
      ...(test.faults.length
        ? [
            `      <failure message="${xml(test.faults[0]!.split('\n', 1)[0]!)}">${xml(test.faults.join('\n'))}</failure>`,
            '    </testcase>',
          ]
        : []),
    ]),
    '  </testsuite>',
  ])
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failures(results)}" time="${seconds(results)}">`,
    ...lines,
    '</testsuites>',
  ].join('\n')
}

const failures = (results: readonly TestResult[]): number => results.filter(({ faults }) => faults.length).length
const seconds = (results: readonly TestResult[]): string =>
  (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const xml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!).replaceAll(/\p{Cc}/gu, (c) => (c === '\n' ? c : ' '))

export function describeDifference({ path, expected, actual }: Difference): string {
  return `${path}\n  expected ${shown(expected)}\n  actual   ${shown(actual)}`
}

const shown = (value: unknown): string =>
  value === ABSENT ? 'nothing' : JSON.stringify(value, null, 2).replaceAll('\n', '\n           ')
