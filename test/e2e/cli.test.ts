// Tests the command line with a server, with a data folder, and with neither.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseFlowText } from '../../src/flow/flow-text.ts'
import { callCli, spawnCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
let env: Record<string, string>
const folder = temporaryFolder()

beforeAll(async () => {
  millrace = await startMillrace()
  env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
})
afterAll(async () => {
  await millrace.stop()
  rmSync(folder, { recursive: true })
})

const greet = { id: 'greet', kind: 'set', vars: { greeting: 'Hello, {{ webhook.body.name }}' } }

describe('the command line', () => {
  it('leads a flow from its draft to its first run, and runs it again', async () => {
    const flow = (await millrace.api('POST', '/flows', documentOf([greet], {}, 'From a terminal'))).body
    const listed = await callCli(['flows', 'list', '--search', 'terminal', '--json'], { env })
    expect(listed.json().items.map(({ id }: { id: string }) => id)).toEqual([flow.id])
    expect((await callCli(['flows', 'list'], { env })).stdout).toMatch(
      new RegExp(`${flow.id} +draft .*From a terminal`),
    )
    expect((await callCli(['flows', 'show', 'From a terminal'], { env })).stdout).toContain(flow.webhook.url)

    expect(await callCli(['send', flow.id, '--data', '{}'], { env })).toMatchObject({ exit: 1 })
    const published = await callCli(['flows', 'publish', 'From a terminal'], { env })
    expect(published.stdout).toBe(`From a terminal is live as version 1: ${flow.webhook.url}\n`)

    const sent = await callCli(['send', flow.id, '--wait'], { env, input: '{"name":"Ada"}' })
    expect(sent.exit).toBe(0)
    const run = /succeeded +(run_\w+)/.exec(sent.stdout)![1]!
    expect((await millrace.run(run)).vars).toEqual({ greeting: 'Hello, Ada' })
    expect((await callCli(['runs', 'show', run], { env })).stdout).toContain('"greeting": "Hello, Ada"')
    expect(
      (await callCli(['runs', 'list', '--flow', 'From a terminal', '--json'], { env })).json().items,
    ).toMatchObject([{ id: run, status: 'succeeded' }])
    const replay = await callCli(['runs', 'replay', run, '--wait'], { env })
    expect(replay).toMatchObject({ exit: 0, stdout: expect.stringMatching(/succeeded +greet/) })
    expect(await callCli(['runs', 'cancel', run], { env })).toMatchObject({ exit: 4 })
    expect(await callCli(['flows', 'unpublish', flow.id], { env })).toMatchObject({ exit: 0 })
    expect((await millrace.api('GET', `/flows/${flow.id}`)).body.published).toBeNull()
  })

  it('shows names and messages without obeying what is in them, and gives them unchanged as JSON', async () => {
    const name = 'Mine\u001b]0;owned\u0007\u009b2J\u202eenim\nflow_forged'
    const fail = { id: 'no', kind: 'fail', message: 'no\u001b[2J\u001b[1;1Hsucceeded' }
    const { id } = (await millrace.publish(documentOf([fail], {}, name))).flow
    const calls = [
      ['flows', 'list'],
      ['flows', 'show', id],
      ['send', id, '--data', '{}', '--wait'],
      ['flows', 'show', 'Nobody\u001b[2J'],
      ['flows', 'list', '--json'],
      ['flows', 'show', 'Nobody\u001b[2J', '--json'],
    ]
    for (const call of calls) {
      const { stdout, stderr } = await callCli(call, { env })
      expect(stdout + stderr, call.join(' ')).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
    }
    expect((await callCli(['flows', 'list'], { env })).stdout).not.toMatch(/^flow_forged/m)
    const { items } = (await callCli(['flows', 'list', '--json'], { env })).json()
    expect(items.find((flow: { id: string }) => flow.id === id).name).toBe(name)
    const exported = await callCli(['flows', 'export', id], { env })
    expect(parseFlowText(exported.stdout)).toMatchObject({ name })
  })

  it('tells a failed run by its exit code', async () => {
    await millrace.publish(documentOf([{ id: 'no', kind: 'fail', message: 'not today' }], {}, 'Failing'))
    const sent = await callCli(['send', 'Failing', '--data', '{}', '--wait'], { env })
    expect(sent.exit).toBe(1)
    expect(sent.stdout).toMatch(/failed +run_\w+ +failed: not today/)
  })

  it('sends headers, query and other types, keeps samples, and takes secrets from the environment', async () => {
    const { flow } = await millrace.publish(
      documentOf(
        [],
        { auth: { kind: 'header', name: 'X-Key', value: 'a-key-of-the-sender' }, accept: ['text/*'] },
        'Guarded',
      ),
    )
    const args = ['send', 'Guarded', '--data', 'hi', '--type', 'text/plain', '--query', 'a=b', '--header', 'X-Trace: 7']
    expect(await callCli(args, { env })).toMatchObject({ exit: 1, stdout: expect.stringMatching(/^401 /) })
    const keyed = [...args, '--secret-header', 'X-Key=env:SENDER_KEY']
    const sent = await callCli([...keyed, '--json'], { env: { ...env, SENDER_KEY: 'a-key-of-the-sender' } })
    expect(sent.json().status).toBe(200)
    expect((await millrace.run(sent.json().body.id)).webhook).toMatchObject({
      body: 'hi',
      query: { a: 'b' },
      headers: { 'x-trace': '7', 'x-key': '[masked]' },
    })
    expect((await callCli(keyed, { env })).stderr).toContain('The variable SENDER_KEY is not set.')
    const literal = await callCli([...args, '--secret-header', 'X-Key=a-key-of-the-sender'], { env })
    expect(literal).toMatchObject({ exit: 2, stderr: expect.stringContaining('do not belong on the command line') })

    const sample = await callCli([...keyed, '--test'], { env: { ...env, SENDER_KEY: 'a-key-of-the-sender' } })
    expect(sample.exit).toBe(0)
    expect((await millrace.api('GET', `/flows/${flow.id}/samples`)).body.items).toHaveLength(1)
  })

  it('validates files and exports flows', async () => {
    const good = join(folder, 'good.yaml')
    const bad = join(folder, 'bad.yaml')
    writeFileSync(good, 'name: Good\ntrigger: { kind: webhook }\nsteps: []\n')
    writeFileSync(bad, 'name: Bad\ntrigger: { kind: webhook }\nsteps: [{ id: a, kind: http, method: GET }]\n')
    expect(await callCli(['flows', 'validate', good], { env })).toMatchObject({ exit: 0 })
    const checked = await callCli(['flows', 'validate', folder], { env })
    expect(checked).toMatchObject({ exit: 1, stdout: expect.stringContaining('error /steps/0/url: ') })

    const sealed = documentOf([], { auth: { kind: 'header', name: 'X-Key', value: 'a-literal-secret' } }, 'Sealed')
    const { id } = (await millrace.api('POST', '/flows', sealed)).body
    const exported = await callCli(['flows', 'export', id], { env })
    expect(exported.stdout).toMatch(/^name: Sealed\n/)
    expect(exported.stdout).toContain('value: sealed:')
    expect(exported.stderr).toContain('work only in this flow')
    const output = join(folder, 'exported.yaml')
    expect(await callCli(['flows', 'export', id, '--output', output], { env })).toMatchObject({ exit: 0 })
  })

  it('says by its exit code why it could not: not found, no token, wrong token, nobody there', async () => {
    expect(await callCli(['flows', 'show', 'flow_00000000000000000000000000'], { env })).toMatchObject({ exit: 3 })
    expect(await callCli(['runs', 'show', 'run_x'], { env })).toMatchObject({ exit: 3 })
    const nobody = { ...env, MILLRACE_ADMIN_TOKEN: '' }
    expect(await callCli(['flows', 'list'], { env: nobody })).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining('Set MILLRACE_ADMIN_TOKEN'),
    })
    expect(await callCli(['flows', 'list', '--token', 'a-token-nobody-has'], { env })).toMatchObject({ exit: 6 })
    const token = join(folder, 'token')
    writeFileSync(token, `${TOKEN}\n`)
    expect(await callCli(['flows', 'list', '--token', `@${token}`], { env: nobody })).toMatchObject({ exit: 0 })
    const gone = `http://127.0.0.1:${await freePort()}`
    expect(await callCli(['flows', 'list', '--server', gone], { env })).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining(`No server answers at ${gone}: ECONNREFUSED.`),
    })
    expect(await callCli(['flows', 'list', '--server', 'nonsense'], { env })).toMatchObject({ exit: 2 })
  })

  it('finds the server that holds a data folder, and works on the folder itself when none does', async () => {
    const dataDir = join(folder, 'data')
    const local = { MILLRACE_DATA_DIR: dataDir }
    const missing = await callCli(['flows', 'list', '--data-dir', dataDir], { env: {} })
    expect(missing).toMatchObject({ exit: 3, stderr: expect.stringContaining('There is no database of Millrace in') })

    const running = await startMillrace(local)
    const { flow } = await running.publish(documentOf([greet], {}, 'Held'))
    expect(await callCli(['flows', 'list'], { env: local })).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining(`The server at ${running.url} holds ${dataDir}.`),
    })
    const held = await spawnCli(['flows', 'list', '--json'], { env: { ...local, MILLRACE_ADMIN_TOKEN: TOKEN } })
    expect(held.json().items).toMatchObject([{ id: flow.id }])
    await running.stop()
    expect(existsSync(join(dataDir, 'millrace.address'))).toBe(false)

    const stopped = await spawnCli(['flows', 'list', '--json'], { env: local })
    expect(stopped.json().items).toMatchObject([{ id: flow.id, webhook: { id: flow.webhook.id } }])
    const waited = await callCli(['send', 'Held', '--data', '{"name":"Ada"}', '--wait'], { env: local })
    expect(waited).toMatchObject({ exit: 5, stderr: expect.stringContaining('Start "millrace serve"') })
    const again = await startMillrace(local)
    const [{ id }] = (await again.api('GET', `/runs?flow=${flow.id}`)).body.items
    expect((await again.runEnded(id)).vars).toEqual({ greeting: 'Hello, Ada' })
    await again.stop()
  }, 60_000)

  it('has its help as a process of its own', async () => {
    expect(await spawnCli(['help'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('flows list') })
    expect(await spawnCli(['flws'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('millrace flows') })
  })
})
