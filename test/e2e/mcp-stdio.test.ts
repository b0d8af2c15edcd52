// Tests MCP over stdio: `millrace mcp` as a process, on a server and on a data folder.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCommandLineSettings } from '../../src/app/config.ts'
import { isFolderInUse } from '../../src/base/data-folder.ts'
import { connect } from '../../src/cli/client/connect.ts'
import { tools } from '../../src/mcp/tools.ts'
import { callCli } from '../harness/cli.ts'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { freePort, NOBODY_LISTENS } from '../harness/free-port.ts'
import { documentOf } from '../harness/management.ts'
import { type Assistant, assistOver } from '../harness/mcp.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
const folder = temporaryFolder()
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(async () => {
  await millrace.stop()
  rmSync(folder, { recursive: true })
})

const spawnAssistant = (args: string[], env: Record<string, string> = {}): Promise<Assistant> =>
  assistOver(
    new StdioClientTransport({
      command: process.execPath,
      args: [ENTRY, 'mcp', ...args],
      env: childEnvironment(env),
      cwd: folder,
      stderr: 'pipe',
    }),
  )

const greet = { id: 'greet', kind: 'set', vars: { greeting: 'Hello, {{ webhook.body.name }}' } }

describe('millrace mcp', () => {
  it('leads a flow from a faulty document to a run, on a server', async () => {
    const assistant = await spawnAssistant(['--server', millrace.url], { MILLRACE_ADMIN_TOKEN: TOKEN })
    expect(await assistant.tools()).toEqual(tools.map(({ name }) => name))
    const faulty = documentOf([{ ...greet, vars: { greeting: '{{ webhok.body }}' } }], {}, 'Over stdio')
    expect((await assistant.call('validate_flow', { document: faulty })).body.issues).toHaveLength(1)
    const flow = (await assistant.call('create_flow', { document: faulty })).body
    const document = { ...faulty, steps: [greet] }
    expect((await assistant.call('update_draft', { flow: flow.id, revision: 1, document })).body.revision).toBe(2)
    const step = await assistant.call('test_step', { flow: flow.id, step: 'greet', webhook: { body: { name: 'Ada' } } })
    expect(step.body.output).toEqual({ greeting: 'Hello, Ada' })
    expect((await assistant.call('publish_flow', { flow: flow.id })).body).toEqual({ version: 1, warnings: [] })
    const sent = await callCli(['send', 'Over stdio', '--data', '{"name":"Eve"}', '--json'], {
      env: { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN },
    })
    const run = sent.json().body.id
    await millrace.runEnded(run)
    expect((await assistant.call('get_run', { run })).body).toMatchObject({
      status: 'succeeded',
      vars: { greeting: 'Hello, Eve' },
    })
    expect((await assistant.call('get_run', { run: 'none' })).body).toMatchObject({ code: 'not_found' })
    await assistant.client.close()
  })

  it('reaches as far as its token, and shows no more', async () => {
    const { token } = (await millrace.api('POST', '/tokens', { name: 'reader', scope: 'read' })).body
    const assistant = await spawnAssistant(['--server', millrace.url, '--token', token])
    expect(await assistant.tools()).not.toContain('create_flow')
    expect(await assistant.call('create_flow', { document: documentOf([]) })).toMatchObject({
      isError: true,
      body: { code: 'forbidden' },
    })
    await assistant.client.close()
  })

  it('works on a data folder without a token, and holds it only while a tool works', async () => {
    const dataDir = temporaryFolder()
    const port = String(await freePort())
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: port })
    await first.stop()
    const assistant = await spawnAssistant(['--data-dir', dataDir], { MILLRACE_ADMIN_TOKEN: TOKEN })
    expect(assistant.client.getInstructions()).toContain('No server runs on this data folder')
    const [flow, listed] = await Promise.all([
      assistant.call('create_flow', { document: documentOf([greet], {}, 'In a folder') }),
      assistant.call('list_step_kinds'),
    ])
    expect([flow.isError, listed.isError]).toEqual([false, false])
    const tested = await assistant.call('test_flow', { flow: flow.body.id, webhook: { body: { name: 'Ada' } } })
    expect(tested.body.status).toBe('queued')
    expect(isFolderInUse(dataDir)).toBe(false)

    // A server takes the folder over: the same assistant continues with it.
    const server = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: port })
    await server.runEnded(tested.body.id)
    expect((await assistant.call('get_run', { run: tested.body.id })).body.vars).toEqual({ greeting: 'Hello, Ada' })
    await server.stop()
    expect((await assistant.call('get_flow', { flow: flow.body.id })).body.name).toBe('In a folder')
    await assistant.client.close()
    rmSync(dataDir, { recursive: true })
  })

  it('may open a folder any number of times: what comes and goes does not watch the process', async () => {
    const dataDir = temporaryFolder()
    const server = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: String(await freePort()) })
    const metricsOf = async (fetching: Promise<Response>) => (await fetching).text()
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect(await metricsOf(fetch(`${server.url}/metrics`, { headers }))).toContain('nodejs_gc_duration_seconds')
    await server.stop()
    const target = { server: undefined, token: undefined, dataDir }
    const api = await connect(readCommandLineSettings({}), target)
    const idle = await metricsOf(api.fetch('GET', '/metrics', {}))
    await api.close()
    expect(idle).toContain('millrace_runs_queued')
    // Node would keep an observer of its metrics alive, and with it the whole server.
    expect(idle).not.toMatch(/nodejs_|process_/)
    rmSync(dataDir, { recursive: true })
  })

  it('says what is wrong, and goes on, when its server is gone for a while', async () => {
    const port = String(await freePort())
    const dataDir = temporaryFolder()
    const server = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: port })
    const assistant = await spawnAssistant(['--server', server.url], { MILLRACE_ADMIN_TOKEN: TOKEN })
    await server.stop()
    expect(await assistant.call('list_flows')).toMatchObject({ isError: true, body: { code: 'unreachable' } })
    const again = await startMillrace({ MILLRACE_DATA_DIR: dataDir, MILLRACE_PORT: port })
    expect((await assistant.call('list_flows')).body.items).toEqual([])
    await again.stop()
    await assistant.client.close()
    rmSync(dataDir, { recursive: true })
  })

  it('ends at once where it could do nothing', async () => {
    const env = { MILLRACE_ADMIN_TOKEN: 'not-the-token-of-it' }
    expect(await callCli(['mcp', '--server', millrace.url], { env })).toMatchObject({ exit: 6, stdout: '' })
    expect(await callCli(['mcp', '--data-dir', folder], { env })).toMatchObject({ exit: 3, stdout: '' })
    const nobody = `http://127.0.0.1:${NOBODY_LISTENS}`
    expect(await callCli(['mcp', '--server', nobody], { env })).toMatchObject({ exit: 5, stdout: '' })
  })

  it('answers all that was piped in, passes over what is no message, and ends with its input', async () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const callTool = (id: number, name: string, input: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${input}}}`
    const input = [
      'not JSON',
      '{"jsonrpc":"2.0"}',
      `[${callTool(1, 'list_flows', '{}')}]`,
      callTool(2, 'list_step_kinds', '{}'),
      callTool(3, 'validate_flow', `{"document":${deep}}`),
      callTool(4, 'read_guide', '{"page":"code"}'),
      '',
    ].join('\n')
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const { exit, stdout, stderr } = await callCli(['mcp'], { env, input })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([2, 3, 4]))
    const byId = (id: number) => answers.find((answer) => answer.id === id)
    expect(byId(2).result.content[0].text).toContain('"kind":"http"')
    expect(byId(3).result?.isError ?? byId(3).error).toBeTruthy()
    expect(byId(4).result.content[0].text).toMatch(/^# /)
    expect(stderr.match(/was not understood/g)).toHaveLength(3)
    expect(exit).toBe(0)
  })

  it('ends when a message is longer than any may be', async () => {
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const { exit, stdout, stderr } = await callCli(['mcp'], { env, input: 'x'.repeat(11 * 1024 * 1024) })
    expect([exit, stdout]).toEqual([0, ''])
    expect(stderr).toContain('was not understood')
  })
})

/** Returns the packages that the imports of the code load. */
function packagesOf(code: string): string[] {
  const watch = `import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1]
      if (name) seen.add(name)
      return next(url, context)
    } })
    ${code}
    console.log(JSON.stringify([...seen]))`
  const cwd = resolve(import.meta.dirname, '../..')
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', watch], {
    cwd,
    encoding: 'utf8',
  })
  return JSON.parse(stdout || stderr)
}

describe('the packages of the SDK', () => {
  it('are not loaded with the service, and web servers never', () => {
    const start = packagesOf(`await import('./src/app/start.ts')`)
    expect(start).toContain('pino')
    expect(start).not.toContain('fastify')
    const service = packagesOf(`await import('./src/http/api.ts'); await import('./src/cli/main.ts')`)
    expect(service).toContain('fastify')
    expect(service).not.toContain('@modelcontextprotocol/sdk')
    const used = packagesOf(`await import('./src/mcp/answer-message.ts'); await import('./src/mcp/serve-stdio.ts')`)
    expect(used).toContain('@modelcontextprotocol/sdk')
    const needless = ['express', 'hono', '@hono/node-server', 'cors', 'jose', 'eventsource', 'express-rate-limit']
    expect(used.filter((name) => needless.includes(name))).toEqual([])
  })
})
