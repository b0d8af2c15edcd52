// Finds tests of flows, and reads each with the flow that it is about.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Fixture, fixtureIssues } from '../../flow/fixture.ts'
import type { Issue } from '../../flow/issue.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { listFlowFiles, readFlowFile } from './flow-files.ts'

export interface FixtureFile {
  path: string
  fixture: Fixture
  flowPath: string
  document: unknown
}

export interface BadFixture {
  path: string
  issues: Issue[]
}

const FIXTURE = /\.test\.ya?ml$/

export function readFixtures(given: readonly string[]): {
  fixtures: FixtureFile[]
  bad: BadFixture[]
  untested: string[]
} {
  const paths = [...new Set(given.flatMap(fixturePaths))].toSorted()
  const fixtures: FixtureFile[] = []
  const bad: BadFixture[] = []
  for (const path of paths) {
    const { document } = readFlowFile(path)
    const issues = fixtureIssues(document)
    if (issues.length) bad.push({ path, issues })
    else fixtures.push(withFlow(path, document as Fixture))
  }
  const tested = new Set(fixtures.map(({ flowPath }) => resolve(flowPath)))
  const untested = given.flatMap(flowsIn).filter((path) => !tested.has(resolve(path)))
  return { fixtures, bad, untested }
}

function fixturePaths(given: string): string[] {
  if (statSync(given).isDirectory())
    return readdirSync(given, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && FIXTURE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.split(/[\\/]/).includes('node_modules'))
  if (FIXTURE.test(given)) return [given]
  // A flow stands for the tests beside it.
  return ['.test.yaml', '.test.yml']
    .map((end) => given.replace(/\.(ya?ml|json)$/, end))
    .filter((path) => existsSync(path))
}

/** Flow files without tests are at least checked. */
function flowsIn(given: string): string[] {
  const paths = statSync(given).isDirectory() ? listFlowFiles(given) : FIXTURE.test(given) ? [] : [given]
  return paths.filter((path) => looksLikeFlow(readFlowFile(path).document))
}

const looksLikeFlow = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'trigger' in document && 'steps' in document

function withFlow(path: string, fixture: Fixture): FixtureFile {
  const candidates = fixture.flow
    ? [join(dirname(path), fixture.flow)]
    : ['.yaml', '.yml', '.json'].map((end) => path.replace(FIXTURE, end))
  const flowPath = candidates.find((candidate) => existsSync(candidate))
  if (flowPath === undefined)
    throw new CliError(
      EXIT.notFound,
      'no_flow',
      `${path}: there is no flow ${candidates[0]}; name the file of the flow with "flow:".`,
    )
  return { path, fixture, flowPath, document: readFlowFile(flowPath).document }
}
