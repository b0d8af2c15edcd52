// Tests that credentials are shown once, to their owner, and appear nowhere else.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, type Browser, codeOf, openBrowser, PASSWORD, setUpCode, setUpOwner } from '../harness/browser.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
let owner: Browser
const dataDir = temporaryFolder()
/** The secrets by what they are. */
const secrets: Record<string, string> = { 'the admin token': TOKEN, 'a password': PASSWORD }
const seen: string[] = []

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
  secrets['the set-up code'] = setUpCode(millrace.log())
  owner = await setUpOwner(millrace)
  secrets['a session'] = owner.cookie()!.split('=')[1]!
  const token = await owner.send('POST', '/api/v1/tokens', { name: 'canary', scope: 'admin' })
  secrets['a token'] = token.body.token
  const invitation = await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })
  secrets['an invitation'] = codeOf(invitation.body.url)

  const user = await addUser(millrace, 'editor', 'user@example.com')
  secrets['a session that ended'] = user.cookie()!.split('=')[1]!
  secrets['a new password'] = 'n3w p4ssword of the user'
  const passwords = { currentPassword: PASSWORD, newPassword: secrets['a new password'] }
  const changed = await user.send('POST', '/api/auth/change-password', passwords)
  secrets['a session after a change'] = user.cookie()!.split('=')[1]!
  // A wrong guess may be the user's right password on another site.
  secrets['a guess'] = 'gu3ssed p4ssword for another site'
  for (const body of [
    { email: 'user@example.com', password: secrets['a guess'] },
    { email: secrets['a guess'], password: PASSWORD },
  ])
    seen.push(JSON.stringify((await openBrowser(millrace).send('POST', '/api/auth/sign-in/email', body)).body))
  for (const path of ['accept-invitation', 'setup']) {
    const body = { code: 'x', email: 'ada@example.com', name: 'Ada', password: secrets['a guess'] }
    seen.push(JSON.stringify((await openBrowser(millrace).send('POST', `/api/auth/${path}`, body)).body))
  }
  const refused = await owner.send('POST', '/api/v1/tokens', { name: secrets['a token'], scope: 'none' })
  seen.push(JSON.stringify([changed.body, refused.body]))
  for (const path of [
    '/api/v1/me',
    '/api/v1/users',
    '/api/v1/invitations',
    '/api/v1/tokens',
    '/api/v1/audit?limit=200',
    '/api/v1/settings',
    '/api/v1/openapi.json',
    '/api/auth/state',
    '/api/auth/get-session',
    '/metrics',
  ]) {
    const { status, body } = await owner.send('GET', path)
    expect(status, path).toBe(200)
    seen.push(JSON.stringify(body))
  }
})
afterAll(async () => {
  await millrace.stop()
  rmSync(dataDir, { recursive: true })
})

describe('what lets somebody in', () => {
  const names = [
    'the admin token',
    'a password',
    'the set-up code',
    'a session',
    'a token',
    'an invitation',
    'a session that ended',
    'a session after a change',
    'a new password',
    'a guess',
  ]

  it.each(names)('%s is in no reply, no log and no file', (name) => {
    const secret = secrets[name]!
    expect(leaksOf(seen.join('\n'), secret)).toEqual([])
    expect(leaksInFolder(dataDir, secret)).toEqual([])
    // The only log line that is meant to show a code.
    const log = millrace.log().replace(/There is no owner yet\..*/, '')
    expect(leaksOf(log, secret)).toEqual([])
  })

  it('was looked for by all these names', () => {
    expect(Object.keys(secrets).toSorted()).toEqual(names.toSorted())
    for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThan(15)
  })
})
