// Where only single sign-on is allowed: passwords are for break-glass owners, whom the command line makes.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { breakGlass, removeSecondFactor, resetPassword } from '../../src/app/sign-in/repair-users.ts'
import { addUser, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { type ForgingProvider, startForgingProvider } from '../harness/identity-provider.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'

let provider: ForgingProvider
const dataDir = temporaryFolder()
beforeAll(async () => {
  provider = await startForgingProvider()
})
afterAll(async () => {
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = (only: boolean, folder = dataDir) =>
  startMillrace({
    MILLRACE_DATA_DIR: folder,
    MILLRACE_OIDC_ISSUER: provider.issuer,
    MILLRACE_OIDC_CLIENT_ID: 'millrace',
    MILLRACE_OIDC_ONLY: String(only),
  })
const signIn = (millrace: Millrace, email: string, password = PASSWORD) =>
  openBrowser(millrace).send('POST', '/api/auth/sign-in/email', { email, password })

describe('MILLRACE_OIDC_ONLY', () => {
  it('refuses passwords and invitations, and ends the sessions that passwords opened', async () => {
    const before = await start(false)
    const owner = await setUpOwner(before)
    await addUser(before, 'owner', 'eve@example.com')
    await before.stop()
    const millrace = await start(true)
    expect((await openBrowser(millrace, owner.cookie()).send('GET', '/api/v1/me')).status).toBe(401)
    const answers = [
      await signIn(millrace, 'ada@example.com'),
      await signIn(millrace, 'ada@example.com', 'a wrong one'),
      await signIn(millrace, 'nobody@example.com'),
    ]
    for (const answer of answers) expectFailure(answer, 403, 'forbidden')
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
    expect((await millrace.api('POST', '/invitations', { role: 'viewer' })).status).toBe(403)
    expect((await openBrowser(millrace).send('GET', '/api/auth/state')).body).toMatchObject({
      passwords: false,
      providers: [{ id: '1', name: new URL(provider.issuer).host }],
    })
    await millrace.stop()
  })

  it('lets a break-glass owner in, while Millrace runs', async () => {
    const millrace = await start(true)
    const config = readConfig({ MILLRACE_DATA_DIR: dataDir })
    await expect(breakGlass(config, 'nobody@example.com', true)).rejects.toMatchObject({ code: 'not_found' })
    await breakGlass(config, 'Ada@example.com', true)
    expect((await signIn(millrace, 'ada@example.com')).status).toBe(200)
    expectFailure(await signIn(millrace, 'eve@example.com'), 403, 'forbidden')
    const { items } = (await millrace.api('GET', '/users')).body
    expect(items.map(({ breakGlass: may }: { breakGlass: boolean }) => may)).toEqual([true, false])
    await millrace.api('PUT', `/users/${items[1].id}`, { role: 'editor' })
    await expect(breakGlass(config, 'eve@example.com', true)).rejects.toMatchObject({ code: 'conflict' })
    await expect(removeSecondFactor(config, 'ada@example.com')).rejects.toMatchObject({ code: 'conflict' })
    await expect(resetPassword(config, 'ada@example.com', 'qwertyuiop')).rejects.toMatchObject({
      code: 'common_password',
    })
    await breakGlass(config, 'ada@example.com', false)
    expectFailure(await signIn(millrace, 'ada@example.com'), 403, 'forbidden')
    const audit = (await millrace.api('GET', '/audit')).body.items
    expect(audit).toContainEqual(expect.objectContaining({ action: 'user.break_glass', actor: 'command line' }))
    await millrace.stop()
  })

  it('makes the first owner a break-glass one, by the set-up code', async () => {
    const folder = temporaryFolder()
    const millrace = await start(true, folder)
    const owner = await setUpOwner(millrace)
    expect((await owner.send('GET', '/api/v1/me')).status).toBe(200)
    expect((await signIn(millrace, 'ada@example.com')).status).toBe(200)
    await millrace.stop()
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('the settings of a provider', () => {
  const refused = (environment: Record<string, string>) => () => readConfig(environment)
  const issuer = 'https://id.example.com'

  it('say what is missing or wrong', () => {
    expect(refused({ MILLRACE_OIDC_ONLY: 'true' })).toThrow(/no provider to sign in with/)
    expect(refused({ MILLRACE_OIDC_CLIENT_ID: 'x' })).toThrow(/MILLRACE_OIDC_ISSUER: it is not set/)
    expect(refused({ MILLRACE_OIDC_ISSUER: issuer })).toThrow(/MILLRACE_OIDC_CLIENT_ID: it is not set/)
    expect(refused({ MILLRACE_OIDC_2_ISSUER: 'id.example.com' })).toThrow(/MILLRACE_OIDC_2_ISSUER: "id.example.com"/)
    const given = { MILLRACE_OIDC_ISSUER: issuer, MILLRACE_OIDC_CLIENT_ID: 'x' }
    expect(refused({ ...given, MILLRACE_OIDC_ROLES: 'admins=The Boss' })).toThrow(/"The Boss" is no name of a role/)
    expect(refused({ ...given, MILLRACE_OIDC_ROLES: 'claim=groups' })).toThrow(/gives nobody a role/)
    expect(refused({ ...given, MILLRACE_OIDC_DEFAULT_ROLE: 'All' })).toThrow(/"All" is neither none nor/)
  })

  it('name a claim, and groups that may hold an equals sign', () => {
    const { providers } = readConfig({
      MILLRACE_OIDC_3_ISSUER: issuer,
      MILLRACE_OIDC_3_CLIENT_ID: 'x',
      MILLRACE_OIDC_3_ROLES: 'claim=roles; cn=admins=owner ;devs=editor',
    }).oidc
    expect(providers).toMatchObject([
      {
        id: '3',
        name: 'id.example.com',
        issuer: 'https://id.example.com/',
        roles: {
          claim: 'roles',
          roles: [
            { value: 'cn=admins', role: 'owner' },
            { value: 'devs', role: 'editor' },
          ],
        },
      },
    ])
  })
})
