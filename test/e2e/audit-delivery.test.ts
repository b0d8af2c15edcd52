// Tests what leaves with the audit log: messages of syslog over real sockets, and signed webhooks, over failures and restarts.
import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Client, spawnMillrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { AUTHORITY, startSyslog } from '../harness/syslog-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const NAME = 'A "quoted] name\\\nsecond line ä'
const create = (client: Client, name = NAME) =>
  client.api('POST', '/flows', { name, trigger: { kind: 'webhook' }, steps: [] })

let stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop()
  stops = []
})
const later = <T extends { stop(): Promise<void> } | { close(): Promise<void> }>(started: T): T => {
  stops.push(() => ('stop' in started ? started.stop() : started.close()))
  return started
}

/** The form of RFC 5424, with a byte order mark before the text. */
const MESSAGE =
  /^<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]+) millrace (\d+) ([!-~]{1,32}) \[millrace@32473((?: \w+="(?:[^"\\\]]|\\["\\\]])*")+)\] \u{feff}(.*)$/u

function expectMessage(message: string, action: string): Record<string, unknown> {
  const [, priority, at, , , id, data, text] = MESSAGE.exec(message) ?? []
  expect(id, message).toBe(action)
  expect(priority).toBe('109')
  const entry = JSON.parse(text!) as Record<string, unknown>
  expect(entry).toMatchObject({ action, at })
  expect(data).toContain(`hash="${String(entry['hash'])}"`)
  return entry
}

describe('syslog', () => {
  it('gets each entry by UDP', async () => {
    const server = later(await startSyslog('udp'))
    const millrace = later(await startMillrace({ MILLRACE_AUDIT_SYSLOG: `udp://127.0.0.1:${server.port}` }))
    await create(millrace)
    const [message] = await server.received(1)
    expect(expectMessage(message!, 'flow.create')).toMatchObject({ target: { name: NAME } })
    expect(message).not.toContain('\n')
  })

  it('gets by TCP what it missed while it was down, also over a restart', async () => {
    const port = await freePort()
    const folder = temporaryFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const environment = { MILLRACE_DATA_DIR: folder, MILLRACE_AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` }
    const first = await startMillrace(environment)
    for (let i = 0; i < 3; i++) await create(first, `Flow ${i}`)
    await first.stop()
    const second = later(await startMillrace(environment))
    const server = later(await startSyslog('tcp', port))
    await create(second, 'Flow 3')
    const messages = await server.received(4)
    expect(messages.map((message) => expectMessage(message, 'flow.create'))).toMatchObject(
      [0, 1, 2, 3].map((i) => ({ seq: i + 1, target: { name: `Flow ${i}` } })),
    )
  })

  it('gets them by TLS, from a server whose certificate is right', async () => {
    const server = later(await startSyslog('tls'))
    const folder = temporaryFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const port = await freePort()
    const environment = { MILLRACE_AUDIT_SYSLOG: `tls://localhost:${server.port}` }
    const trusting = await spawnMillrace(folder, port, { ...environment, NODE_EXTRA_CA_CERTS: AUTHORITY })
    await create(trusting)
    const [message] = await server.received(1)
    expectMessage(message!, 'flow.create')
    trusting.child.kill()
    await trusting.exited
    const distrusting = await spawnMillrace(folder, port, environment)
    await create(distrusting)
    await logged(distrusting.output, /could not be delivered.*certificate|certificate.*could not be delivered/)
    distrusting.child.kill()
    await distrusting.exited
  })
})

describe('the webhook', () => {
  const answering = (statuses: number[]): Promise<Upstream> =>
    startUpstream((_request, response) => response.writeHead(statuses.shift() ?? 204).end())
  const settings = (url: string) => ({ MILLRACE_AUDIT_WEBHOOK: `${url}/siem`, MILLRACE_AUDIT_WEBHOOK_SECRET: SECRET })

  it('gets lines that are signed, and again those that it refused', async () => {
    const server = later(await answering([500]))
    const millrace = later(await startMillrace(settings(server.url)))
    await create(millrace)
    await server.count(2)
    const [first, again] = server.received
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = again!.headers
    const right = createHmac('sha256', Buffer.alloc(32, 9))
      .update(`${String(id)}.${String(timestamp)}.${again!.body}`)
      .digest('base64')
    expect(signature).toBe(`v1,${right}`)
    expect(again!.headers['content-type']).toBe('application/x-ndjson')
    expect([first!.headers['webhook-id'], first!.body.split('\n')[0]]).toEqual([id, again!.body.split('\n')[0]])
    expect(JSON.parse(again!.body.split('\n')[0]!)).toMatchObject({ action: 'flow.create', chain: 'main' })
    expect(millrace.log()).toContain('entries of the audit log could not be delivered')
    expect(millrace.log()).not.toContain(SECRET)
  })

  it('goes through the guard', async () => {
    const server = later(await answering([]))
    const environment = { ...settings(server.url), MILLRACE_EGRESS_ALLOW: '10.0.0.0/8' }
    const millrace = later(await startMillrace(environment))
    await create(millrace)
    await logged(millrace.log, /entries of the audit log could not be delivered/)
    expect(server.received).toEqual([])
    const metrics = await (
      await fetch(`${millrace.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).text()
    expect(metrics).toMatch(/^millrace_audit_undelivered\{destination="webhook"\} 1$/m)
  })
})

async function logged(output: () => string, what: RegExp): Promise<void> {
  while (!what.test(output())) await new Promise((resolve) => setImmediate(resolve))
}
