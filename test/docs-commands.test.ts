// Runs every command of the guide, page by page, as a reader would: in a new folder, with a real server.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildService, buildUi } from '../scripts/build.mjs'
import { guidePages } from '../scripts/guide.ts'
import { EFFECTS } from './harness/guide-effects.ts'
import { type Block, blocksOf } from './harness/guide-page.ts'
import { createReader, type Reader } from './harness/guide-reader.ts'
import { type BlockResult, runSession, whereIs } from './harness/guide-shell.ts'
import { type Databases, startDatabases } from './harness/postgres.ts'
import { startUpstream, type Upstream } from './harness/upstream.ts'

/** Programs that cannot work here. The shell parses their commands and does not run them; all others run. */
const NOT_HERE: Record<string, string> = {
  docker: 'there is no container engine on the machines that test',
  kubectl: 'there is no cluster',
  systemctl: 'there is no systemd in a container; test/deploy.test.ts looks at the units',
  journalctl: 'as systemctl',
  useradd: 'would change the users of this machine',
  git: 'would fetch a repository from the network',
  npm: 'installing, building and testing would change what this test runs on. "npm start" is run',
}

/** Maps texts of the guide to their values here. */
const substitutes = (reader: Reader, databaseUrl: string, emptyDatabaseUrl: string): [string, string][] => [
  ['http://localhost:8080', `http://localhost:${reader.port}`],
  ['https://flows.example.com', `http://localhost:${reader.port}`],
  ['https://api.example.com/health', `${upstream.url}/health`],
  ['postgres://millrace:password@db.example.com:5432/millrace', databaseUrl],
  ['postgres://millrace:password@db.example.com:5432/moved', emptyDatabaseUrl],
  ['postgres://millrace:password@db.example.com/millrace', databaseUrl],
  ['8081', String(reader.otherPort)],
  ['9000', String(reader.shopPort)],
  ['/opt/millrace', reader.folder],
  ['/var/lib/', `${reader.fileSystem}/var/lib/`],
  ['/etc/', `${reader.fileSystem}/etc/`],
  ['/backup/', `${reader.fileSystem}/backup/`],
  ['/safe/', `${reader.fileSystem}/safe/`],
  ['run_01m7…', reader.runId],
  ['run_01m8…', reader.waitingRunId],
  ['tok_01m7…', reader.tokenId],
  ['fail_5f0c…', reader.failureId],
  ['rpl_01m7…', reader.replayId],
  ['dlv_01m7…', reader.deliveryId],
  ['alr_01m7…', reader.alertId],
  ['cbk_01m7…', reader.approvalId],
]

/** The answers to commands that ask. */
const ANSWERS: Record<string, string> = {
  'millrace flows apply flows/': 'y',
  'millrace connections set shop --kind bearer --secret token --host api.example.com': 's3cret-token',
  'millrace users reset-password ada@example.com': 'correct horse battery',
}

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = ['README.md', 'CONTRIBUTING.md', ...guidePages(read('docs/README.md')).map(({ file }) => `docs/${file}`)]
  .map((file) => ({ file, blocks: blocksOf(read(file)).filter(({ language }) => language === 'sh') }))
  .filter(({ blocks }) => blocks.length > 0)
  // The pages that take longest begin first.
  .toSorted((a, b) => b.blocks.length - a.blocks.length)

let databases: Databases
let upstream: Upstream

beforeAll(async () => {
  for (const [program, debianPackage] of Object.entries({ curl: 'curl', openssl: 'openssl', script: 'bsdutils' }))
    if (!whereIs(program)) throw new Error(`The guide's commands need ${program}: apt-get install ${debianPackage}`)
  if (!buildService() || !buildUi()) throw new Error('Millrace cannot be built; see above.')
  databases = await startDatabases()
  upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"total": 150}')
  })
}, 180_000)

afterAll(async () => {
  await upstream.close()
  await databases.stop()
})

describe('the programs of the guide', () => {
  const called = (text: string) =>
    [...text.matchAll(/(?:^|[|;&(]|\$\()\s*(?:\w+=\S* )*([a-z]\w*)/gm)].map((match) => match[1]!)
  const used = new Set(pages.flatMap(({ blocks }) => blocks.flatMap(({ text }) => called(text))))

  it('that are not run are used, and none of those that every machine has is among them', () => {
    expect(Object.keys(NOT_HERE).filter((program) => !used.has(program))).toEqual([])
    for (const program of ['curl', 'millrace', 'node', 'openssl', 'printf', 'bash', 'sh', 'cp', 'install', 'cd'])
      expect(NOT_HERE).not.toHaveProperty(program)
  })

  it('are on a bare machine, or installed with one word', () => {
    const others = ['jq', 'wget', 'python', 'python3', 'sudo', 'npx', 'pass']
    expect(others.filter((program) => used.has(program))).toEqual([])
  })

  it('are all that is substituted and answered for', () => {
    const text = pages.flatMap(({ blocks }) => blocks.map((block) => block.text)).join('')
    const listed = [...substitutes({} as Reader, '', '').map(([shown]) => shown), ...Object.keys(ANSWERS)]
    expect(listed.filter((shown) => !text.includes(shown))).toEqual([])
  })

  it('get variables that the page sets, or says where they come from', () => {
    for (const { file, blocks } of pages) {
      const text = blocks.map((block) => block.text).join('')
      if (text.includes('$API') && !text.includes('\nAPI='))
        expect(read(file), file).toMatch(/\]\((?:quick-start|api)\.md\)/)
    }
  })
})

describe.concurrent('the commands of', () => {
  for (const { file, blocks } of pages)
    it(`${file} do what it says`, { timeout: 660_000 }, async ({ expect: expectHere }) => {
      const reader = await createReader(file, blocks, upstream.url)
      try {
        const replacements = substitutes(reader, await databases.createEmpty(), await databases.createEmpty())
        const texts = blocks.map(({ text }, i) =>
          replacements.reduce((made, [shown, here]) => made.replaceAll(shown, here), `${reader.starts[i]}\n${text}`),
        )
        const session = await runSession(texts, { ...reader, notHere: Object.keys(NOT_HERE), answers: ANSWERS })
        session.stop()
        const found = blocks.flatMap((block, i) => [...deviations(block, session.blocks[i]!)])
        expectHere(found.map((text) => `${file}:${text}`).join('\n\n')).toBe('')
        await EFFECTS[file]?.(reader, session)
      } finally {
        await reader.stop()
      }
    })
})

/** Yields where a result differs from the page. */
function* deviations({ line, text, output }: Block, { faults, statuses, stdout, stderr }: BlockResult) {
  const shown = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!).join()
  const exits = shown(/#.*\bexit code (\d+)/g)
  if (faults.map((fault) => fault.split(' ')[0]).join() !== exits)
    yield `${line} exit codes: expected [${exits}], got\n${faults.join('\n')}\n${stderr}${stdout}`
  const refusals = statuses.filter((status) => !/^[23]/.test(status)).join()
  const refused = shown(/# (\d{3}):/g)
  if (refusals !== refused)
    yield `${line} replies that are no success: expected [${refused}], got [${refusals}]\n${stdout}`
  if (output?.language === 'json' && !stdout.split('\n').some((reply) => isLike(reply, JSON.parse(output.text))))
    yield `${line} no reply has the shape of\n${output.text}\n${stdout}`
  if (output?.language === 'text' && !stdout.includes(output.text))
    yield `${line} the output is not\n${output.text}\nbut\n${stdout}`
}

/** Returns whether keys and values are the same, except for values that the page cuts short (…). */
function isLike(reply: string, shown: unknown): boolean {
  try {
    return matches(JSON.parse(reply), shown)
  } catch {
    return false
  }
}

function matches(value: unknown, shown: unknown): boolean {
  if (typeof shown === 'string' && shown.includes('…'))
    return typeof value === 'string' && value.startsWith(/^[a-z]*_?/.exec(shown)![0])
  if (typeof shown !== 'object' || shown === null) return value === shown
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(shown) as (keyof typeof shown)[]
  return Object.keys(value).length === keys.length && keys.every((key) => matches(value[key], shown[key]))
}
