// Tests `millrace doctor`: what it finds if all is well, and if it is not.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { NOBODY_LISTENS } from '../harness/free-port.ts'
import { startForgingProvider } from '../harness/identity-provider.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_DATA_DIR: join(folder, 'data') })
})
afterAll(async () => {
  await millrace.stop()
  rmSync(folder, { recursive: true })
})

/** Returns `ok disk`, `failed key`, … in order, and the text of each. */
async function doctor(env: Record<string, string>, ...args: string[]) {
  const { exit, json } = await callCli(['doctor', '--json', ...args], { env })
  const { checks } = json() as { checks: { check: string; state: string; says: string }[] }
  return {
    exit,
    states: checks.map(({ check, state }) => `${state} ${check}`),
    says: (name: string) => checks.find(({ check }) => check === name)?.says,
  }
}

describe('millrace doctor', () => {
  it('finds nothing wrong where all is well', async () => {
    const env = { MILLRACE_DATA_DIR: millrace.dataDir, MILLRACE_ADMIN_TOKEN: TOKEN }
    const { exit, states, says } = await doctor(env)
    expect(states).toEqual([
      'ok configuration',
      'ok variables',
      'ok data folder',
      'ok disk',
      expect.stringMatching(/^(ok|warning) disk sync$/),
      'ok database',
      'ok files',
      'ok server',
      'ok clock',
      'ok version',
      'ok token',
      'ok base URL',
      'warning egress',
    ])
    expect(exit).toBe(0)
    expect(says('egress')).toContain('loopback')
    const variables = { MILLRACE_VAR_SHOP_URL: 'https://shop.example.com', MILLRACE_ENV_SHOP_TOKEN: 'shop-token' }
    expect((await doctor({ ...env, ...variables })).says('variables')).toBe(
      'Flows read as config, shown in runs (MILLRACE_VAR_…): SHOP_URL. As env, secret (MILLRACE_ENV_…): SHOP_TOKEN.',
    )
    expect((await callCli(['doctor'], { env })).stdout).toMatch(/^ok {7}configuration {2}The settings are valid/)
  })

  it('asks each provider of single sign-on what it says of itself', async () => {
    const provider = await startForgingProvider()
    const env = {
      MILLRACE_DATA_DIR: millrace.dataDir,
      MILLRACE_ADMIN_TOKEN: TOKEN,
      MILLRACE_OIDC_ISSUER: provider.issuer,
      MILLRACE_OIDC_CLIENT_ID: 'millrace',
      MILLRACE_OIDC_NAME: 'Acme',
    }
    expect((await doctor(env)).says('single sign-on')).toBe(`Acme (${provider.issuer}/) answers.`)
    // A document that names another issuer is none of this one.
    const other = await doctor({ ...env, MILLRACE_OIDC_ISSUER: provider.issuer.replace('127.0.0.1', 'localhost') })
    expect(other.exit).toBe(1)
    expect(other.says('single sign-on')).toMatch(/^Acme cannot be asked: .*issuer/)
    await provider.close()
    expect((await doctor(env)).says('single sign-on')).toContain('connection_refused')
  })

  it('names the setting that is wrong, the token that is missing, and the server that is not there', async () => {
    const config = await doctor({ MILLRACE_CONCURRENCY: 'many', MILLRACE_DATA_DIR: millrace.dataDir })
    expect(config.exit).toBe(1)
    expect(config.says('configuration')).toMatch(/^MILLRACE_CONCURRENCY: "many" is not a number/)
    expect(config.says('server')).toContain('MILLRACE_ADMIN_TOKEN')
    const wrong = await doctor({ MILLRACE_DATA_DIR: millrace.dataDir, MILLRACE_ADMIN_TOKEN: 'a-token-nobody-has' })
    expect(wrong.states).toContain('failed token')
    const gone = await doctor({}, '--server', `http://127.0.0.1:${NOBODY_LISTENS}`)
    expect(gone).toMatchObject({ exit: 1, states: ['failed server'] })
  })

  it('calls the base URL as a sender would', async () => {
    const other = createServer((_request, response) => response.end('another program'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const misled = await startMillrace({ MILLRACE_BASE_URL: baseUrl })
    const { exit, says } = await doctor({ MILLRACE_ADMIN_TOKEN: TOKEN }, '--server', misled.url)
    expect(exit).toBe(1)
    expect(says('base URL')).toContain(`${baseUrl}/healthz answers 200, but not as Millrace does.`)
    await misled.stop()
    other.close()
  })

  it('looks at the folder, the database and the key where no server runs', async () => {
    const dataDir = join(folder, 'stopped')
    const stopped = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await stopped.publish(documentOf([], { auth: { kind: 'header', name: 'X-Key', value: 'a-sealed-literal' } }))
    await stopped.stop()
    const well = await doctor({}, '--data-dir', dataDir)
    expect(well.states.slice(5)).toEqual(['ok database', 'ok key', 'ok files', 'warning server'])
    expect(well.exit).toBe(0)
    chmodSync(dataDir, 0o755)
    expect((await doctor({}, '--data-dir', dataDir)).states).toContain('warning data folder')
    writeFileSync(join(dataDir, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
    const other = await doctor({}, '--data-dir', dataDir)
    expect(other.exit).toBe(1)
    expect(other.says('key')).toContain('sealed with another key')

    const damaged = join(folder, 'damaged')
    mkdirSync(damaged)
    writeFileSync(join(damaged, 'millrace.db'), 'no database at all'.repeat(500))
    expect((await doctor({}, '--data-dir', damaged)).states).toContain('failed database')
  })

  it('tries the way out under the rules for flows', async () => {
    const target = createServer((_request, response) => response.end())
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
    const env = { MILLRACE_DATA_DIR: millrace.dataDir, MILLRACE_ADMIN_TOKEN: TOKEN }
    const blocked = await doctor(env, '--egress', url)
    expect(blocked.exit).toBe(1)
    expect(blocked.says('egress')).toContain('blocked_address')
    const allowed = await doctor({ ...env, MILLRACE_EGRESS_ALLOW: 'loopback' }, '--egress', url)
    expect(allowed.says('egress')).toBe(`${url} answers 200.`)
    target.close()
  })
})
