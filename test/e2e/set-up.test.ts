// Tests the creation of the first owner: by the link in the log, once.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser, PASSWORD, setUpCode, setUpOwner } from '../harness/browser.ts'
import { freePort } from '../harness/free-port.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, spawnMillrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'

async function start(environment: Record<string, string> = {}): Promise<Millrace> {
  const millrace = await startMillrace(environment)
  onTestFinished(() => millrace.stop())
  return millrace
}

const ada = { email: ' Ada@Example.com ', name: 'Ada', password: PASSWORD }

describe('a fresh installation', () => {
  it('lets nobody in, and has a link in its log for the first owner', async () => {
    const millrace = await start()
    const browser = openBrowser(millrace)
    expect((await browser.send('GET', '/api/auth/state')).body).toEqual({
      setup: true,
      user: null,
      providers: [],
      passwords: true,
      twoFactorSetup: false,
    })
    expect((await browser.send('GET', '/api/v1/flows')).status).toBe(401)
    for (const password of ['', 'admin', 'password', 'millrace'])
      for (const email of ['admin', 'admin@localhost', 'root@localhost'])
        expect((await browser.send('POST', '/api/auth/sign-in/email', { email, password })).status).toBe(401)

    const link = new RegExp(`http://localhost:${millrace.port}/setup#code=([\\w-]{43})"`)
    const code = link.exec(millrace.log())![1]
    const answer = await browser.send('POST', '/api/auth/setup', { ...ada, code })
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { id: expect.any(String), email: 'ada@example.com', name: 'Ada', role: 'owner' } },
    })
    expect((await browser.send('GET', '/api/auth/state')).body).toMatchObject({ setup: false, user: answer.body.user })
    expect((await browser.send('GET', '/api/v1/users')).body.items).toMatchObject([answer.body.user])
  })

  it('refuses a wrong code, and soon any more of them', async () => {
    const millrace = await start()
    const browser = openBrowser(millrace)
    const attempts = Array.from({ length: 30 }, () =>
      browser.send('POST', '/api/auth/setup', { ...ada, code: 'x'.repeat(43) }),
    )
    for (const answer of await Promise.all(attempts)) expectFailure(answer, 401, 'unauthorized')
    const late = await browser.send('POST', '/api/auth/setup', { ...ada, code: setUpCode(millrace.log()) })
    expectFailure(late, 429, 'rate_limited')
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it.each([
    ['a short password', { password: 'too short' }],
    ['an endless password', { password: 'x'.repeat(257) }],
    ['no e-mail address', { email: 'ada' }],
    ['no name', { name: ' ' }],
    ['a role', { role: 'owner' }],
  ])('refuses %s', async (_what, change) => {
    const millrace = await start()
    const answer = await openBrowser(millrace).send('POST', '/api/auth/setup', {
      ...ada,
      code: setUpCode(millrace.log()),
      ...change,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.body.issues).toHaveLength(1)
  })

  it('gives a new code with each start', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await first.stop()
    const second = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    const old = await openBrowser(second).send('POST', '/api/auth/setup', { ...ada, code: setUpCode(first.log()) })
    expectFailure(old, 401, 'unauthorized')
    await second.stop()
  })
})

describe('set-up', () => {
  it('closes with the first owner, for ever', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await setUpOwner(first)
    const code = setUpCode(first.log())
    expectFailure(await openBrowser(first).send('POST', '/api/auth/setup', { ...ada, code }), 409, 'conflict')
    await first.stop()

    const second = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    expect(second.log()).not.toContain('/setup#')
    expectFailure(await openBrowser(second).send('POST', '/api/auth/setup', { ...ada, code }), 409, 'conflict')
    await second.stop()
  })

  it('has one winner when two come at once', async () => {
    const millrace = await start()
    const code = setUpCode(millrace.log())
    const answers = await Promise.all(
      ['ada', 'bob'].map((name) =>
        openBrowser(millrace).send('POST', '/api/auth/setup', { ...ada, email: `${name}@example.com`, code }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect((await millrace.api('GET', '/users')).body.items).toHaveLength(1)
  })
  it('keeps the password as a hash of the full cost, in the service as it is started', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    const started = await spawnMillrace(dataDir, await freePort())
    const code = setUpCode(started.output())
    expect((await openBrowser(started).send('POST', '/api/auth/setup', { ...ada, code })).status).toBe(200)
    started.child.kill()
    await started.exited
    const db = new DatabaseSync(join(dataDir, 'millrace.db'))
    expect(db.prepare('select password from user_account').all()).toEqual([
      { password: expect.stringMatching(/^scrypt\$16384\$8\$5\$/) },
    ])
    db.close()
  })
})
