// Tests kill -9 while an OAuth access token is being refreshed.
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Visitor } from '../harness/authorization-server.ts'
import { freePort } from '../harness/free-port.ts'
import { leaksInFolder } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { type OddServer, startOddServer } from '../harness/odd-token-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let odd: OddServer
let resource: Upstream
let dataDir: string
let port: number
let millrace: MillraceProcess
beforeEach(async () => {
  odd = await startOddServer({ expiresIn: 0.001 })
  resource = await startUpstream((request, response) => {
    const good = odd.accepts(request.headers.authorization?.replace('Bearer ', '') ?? '')
    response.writeHead(good ? 200 : 401)
    response.end()
  })
  dataDir = temporaryFolder()
  port = await freePort()
  millrace = await spawnMillrace(dataDir, port)
})
afterEach(async () => {
  millrace.child.kill('SIGTERM')
  expect(await millrace.exited).toBe(0)
  await odd.close()
  await resource.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const here = (url: string) => url.replace('//localhost', '//127.0.0.1')

/** Creates a connected connection whose access token has expired, and a flow that uses it. */
async function setUp() {
  await millrace.api('POST', '/connections', { name: 'crm', kind: 'oauth2', fields: odd.fields() })
  const connect = async () => {
    const browser = new Visitor()
    const { url } = (await millrace.api('POST', '/connections/crm/authorize')).body
    const page = await browser.open(here(await browser.consent(url, `http://localhost:${port}/`)))
    expect(page.status).toBe(200)
  }
  await connect()
  odd.habits.expiresIn = 3600
  odd.asked.length = 0
  const step = {
    id: 'call',
    kind: 'http',
    method: 'GET',
    url: resource.url,
    auth: { kind: 'oauth2', connection: 'crm' },
  }
  const { flow, post } = await millrace.publish(documentOf([step]))
  return { connect, flow, post }
}

/** Kills the process when the token endpoint has received a request. */
async function killWhenAsked(): Promise<void> {
  await new Promise<void>((resolve) => {
    odd.habits.before = () => {
      millrace.child.kill('SIGKILL')
      resolve()
      return millrace.exited.then(() => {})
    }
  })
  expect(await millrace.exited).toBe('SIGKILL')
  odd.habits.before = () => {}
}

describe('kill -9 between the reply of a token endpoint and its store', { timeout: 60_000 }, () => {
  it('with a rotating refresh token: the connection says that it has to be connected again, and nothing loops', async () => {
    const { connect, post } = await setUp()
    const { id } = (await post({})).body
    // The server has made the old refresh token invalid; the new one is lost with the process.
    await killWhenAsked()
    await expect.poll(() => odd.issued.length).toBe(4)
    millrace = await spawnMillrace(dataDir, port)
    expect(await millrace.runEnded(id)).toMatchObject({ status: 'failed', error: { code: 'connection_unauthorized' } })
    const { body } = await millrace.api('GET', '/connections/crm')
    expect(body).toMatchObject({ state: 'reconnect', reason: expect.stringContaining('cut short by a crash') })
    for (let i = 0; i < 3; i++) {
      const again = await millrace.runEnded((await post({})).body.id)
      expect(again.error?.code).toBe('connection_unauthorized')
    }
    expect(odd.asked.map((form) => form.get('grant_type'))).toEqual(['refresh_token', 'refresh_token'])
    await connect()
    expect((await millrace.runEnded((await post({})).body.id)).status).toBe('succeeded')
    for (const token of odd.issued) expect(leaksInFolder(dataDir, token)).toEqual([])
  })

  it('with a lasting refresh token: the next start refreshes, and the run goes on', async () => {
    odd.habits.refreshTokens = 'lasting'
    const { post } = await setUp()
    const { id } = (await post({})).body
    await killWhenAsked()
    millrace = await spawnMillrace(dataDir, port)
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect((await millrace.api('GET', '/connections/crm')).body).toMatchObject({ state: 'ready', reason: null })
  })
})

describe('a restart', { timeout: 60_000 }, () => {
  it('keeps the tokens', async () => {
    const { post } = await setUp()
    expect((await millrace.runEnded((await post({})).body.id)).status).toBe('succeeded')
    millrace.child.kill('SIGKILL')
    await millrace.exited
    millrace = await spawnMillrace(dataDir, port)
    expect((await millrace.runEnded((await post({})).body.id)).status).toBe('succeeded')
    expect(odd.asked).toHaveLength(1)
  })
})
