// Starts flows from a terminal and as tools of an assistant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { assist } from '../harness/mcp.ts'
import { type Millrace, startMillrace, TOKEN } from '../harness/millrace.ts'

let millrace: Millrace
let env: Record<string, string>

const flow = (slug: string | undefined, input: unknown, mcp = true) => ({
  name: `Flow ${slug}`,
  slug,
  trigger: { kind: 'call', mcp, input },
  steps: [
    {
      id: 'check',
      kind: 'branch',
      cases: [{ when: "{{ input == 'bad' }}", steps: [{ id: 'no', kind: 'fail', message: 'no' }] }],
    },
    { id: 'answer', kind: 'respond', body: '{{ input }}' },
  ],
})

beforeAll(async () => {
  millrace = await startMillrace()
  env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
  await millrace.publish(flow('make-invoice', { type: 'object', required: ['order'] }))
  await millrace.publish(flow('say', { type: 'string' }))
  await millrace.publish(flow('list-flows', undefined))
  await millrace.publish(flow('hidden', undefined, false))
})
afterAll(() => millrace.stop())

describe('millrace flows run', () => {
  it('starts a run by slug, and with --wait prints the result', async () => {
    const run = ['flows', 'run', 'say']
    const waited = await callCli([...run, '--input', '"hello"', '--wait', '20'], { env })
    expect(waited).toMatchObject({ exit: 0, stdout: '"hello"\n' })
    expect((await callCli([...run, '--input', '"hello"'], { env })).stdout).toMatch(/^run_\w+ \w+\n$/)
    expect(await callCli([...run, '--input', '"bad"', '--wait', '20'], { env })).toMatchObject({ exit: 1 })
    expect(await callCli([...run, '--input', 'hello'], { env })).toMatchObject({ exit: 1 })
    expect((await callCli([...run, '--input', '7'], { env })).stderr).toContain('must be string')
  })
})

describe('an assistant', () => {
  it('has flows with mcp as tools, named by their slugs', async () => {
    const assistant = await assist(millrace.url, TOKEN)
    const { tools } = await assistant.client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['make_invoice', 'say', expect.stringMatching(/^run_flow_/)]))
    expect(names).not.toContain('hidden')
    expect(tools.find(({ name }) => name === 'make_invoice')!.inputSchema).toEqual({
      type: 'object',
      required: ['order'],
    })
    expect((await assistant.call('make_invoice', { order: 'A' })).body).toMatchObject({ result: { order: 'A' } })
    expect((await assistant.call('say', { input: 'hi' })).body).toMatchObject({ result: 'hi' })
    expect(await assistant.call('make_invoice', {})).toMatchObject({ isError: true, body: { code: 'invalid_input' } })
    await assistant.client.close()
  })

  it('that may only read has none of them', async () => {
    const { token } = (await millrace.api('POST', '/tokens', { name: 'reads', scope: 'read' })).body
    const assistant = await assist(millrace.url, token)
    expect((await assistant.client.listTools()).tools.map(({ name }) => name)).not.toContain('say')
    await assistant.client.close()
  })
})
