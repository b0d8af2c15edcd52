// `millrace test`: runs the tests of flows, offline.

import { createReadStream, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestRuntimeSettings } from '../../app/test-runtime.ts'
import type { FixtureCase } from '../../flow/fixture.ts'
import { defineCommand, text } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit-code.ts'
import type { FixtureFile } from '../files/fixture-files.ts'
import { readFlowFile } from '../files/flow-files.ts'
import { describeDifference, REPORTERS, type TestResult } from '../terminal/report-tests.ts'

/** The same each time, and not today. */
const DEFAULT_START = '2026-01-01T00:00:00Z'

export const testFlows = defineCommand({
  name: 'test',
  summary: 'Run the tests of flows, without a server and without the network',
  args: ['[file...]'],
  options: {
    reporter: text('name', 'plain (the default), tap or junit'),
    name: text('text', 'only tests with this text in their name'),
  },
  connects: false,
  details:
    'Tests are beside their flow: orders.test.yaml beside orders.yaml. Give tests, flows or folders; the default is the\ncurrent folder. Flows without tests are only checked. docs/flows-as-files.md says how to write tests.',
  examples: [
    ['every test below this folder', 'millrace test'],
    ['one flow', 'millrace test flows/orders.yaml'],
    ['for a CI server', 'millrace test flows/ --reporter junit > flows.xml'],
  ],
  async run({ args, options, show, terminal }) {
    const report = REPORTERS[options.reporter ?? 'plain']
    if (!report) throw usageError(`The reporter is ${Object.keys(REPORTERS).join(', ')}, not "${options.reporter}".`)
    const { readFixtures } = await import('../files/fixture-files.ts')
    const { fixtures, bad, untested } = readFixtures(args.length ? args : ['.'])
    const results: TestResult[] = bad.map(({ path, issues }) => ({
      file: path,
      name: 'is a test of a flow',
      faults: issues.map((issue) => `${issue.path || '/'}: ${issue.message}`),
      durationMs: 0,
    }))
    const { openSandbox } = await import('../../app/test-runtime.ts')
    const sandbox = openSandbox()
    try {
      for (const file of fixtures)
        for (const test of file.fixture.tests)
          if (test.name.includes(options.name ?? '')) results.push(await timed(() => runTest(file, test, sandbox)))
    } finally {
      await sandbox.close()
    }
    if (options.name === undefined) for (const path of untested) results.push(await timed(() => checkUntested(path)))
    show({ tests: results.map(({ faults, ...result }) => ({ ...result, passed: faults.length === 0, faults })) }, () =>
      results.length ? report(terminal, results) : 'There are no tests here.',
    )
    return results.some(({ faults }) => faults.length) ? EXIT.failed : EXIT.ok
  },
})

async function timed(work: () => Promise<Omit<TestResult, 'durationMs'>>): Promise<TestResult> {
  const started = performance.now()
  const result = await work()
  return { ...result, durationMs: Math.round(performance.now() - started) }
}

async function runTest(
  { path, fixture, document }: FixtureFile,
  test: FixtureCase,
  sandbox: TestRuntimeSettings['sandbox'],
) {
  const { openTestRuntime } = await import('../../app/test-runtime.ts')
  const { tryCase } = await import('../../testing/try-case.ts')
  const runtime = await openTestRuntime({
    startMs: Date.parse(test.now ?? fixture.now ?? DEFAULT_START),
    env: { ...fixture.env, ...test.env },
    config: { ...fixture.config, ...test.config },
    connections: { ...fixture.connections, ...test.connections },
    sandbox,
  })
  try {
    const { issues, unexpected, differences, bugs } = await tryCase(
      runtime,
      document,
      test,
      fixture.stubs ?? [],
      (file) => openBeside(path, file),
    )
    const faults = [
      ...issues.map((issue) => `the flow cannot be published: ${issue.path || '/'}: ${issue.message}`),
      ...unexpected.map((request) => `no stub answers ${request}`),
      ...differences.map(describeDifference),
      ...bugs.map((bug) => `a fault of Millrace: ${(bug as Error).stack ?? String(bug)}`),
    ]
    return { file: path, name: test.name, faults }
  } finally {
    await runtime.close()
  }
}

/** Opens a file that a test names. */
function openBeside(test: string, file: string): AsyncIterable<Uint8Array> {
  const path = join(dirname(test), file)
  if (!existsSync(path)) throw new CliError(EXIT.notFound, 'no_file', `${test}: there is no file ${path}.`)
  return createReadStream(path)
}

async function checkUntested(path: string) {
  const { checkFlow } = await import('../../app/test-runtime.ts')
  const faults = checkFlow(readFlowFile(path).document).map((issue) => `${issue.path || '/'}: ${issue.message}`)
  return { file: path, name: 'can be published (it has no tests)', faults }
}
