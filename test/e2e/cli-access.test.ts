// Tests connections, tokens and users on the command line: secrets never come from its arguments.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { callCli } from '../harness/cli.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream
let env: Record<string, string>
const folder = temporaryFolder()
beforeAll(async () => {
  upstream = await startUpstream()
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
  env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  rmSync(folder, { recursive: true })
})

const cli = (args: string[], more: Record<string, string> = {}, input = '') =>
  callCli(args, { env: { ...env, ...more }, input })

async function tokenSent(): Promise<string | undefined> {
  const auth = { kind: 'bearer', token: '{{ connections.shop.token }}' }
  const { post } = await millrace.publish(
    documentOf([{ id: 'c', kind: 'http', method: 'GET', url: '{{ env.UP }}', auth }]),
  )
  await millrace.runEnded((await post({})).body.id)
  return upstream.received.at(-1)!.headers.authorization
}

describe('alerts', () => {
  it('are changed in what is given, and keep the rest and their secret', async () => {
    const url = 'https://chat.example.com/alerts'
    const made = await cli(['alerts', 'add', 'failures', '--count', '10', '--minutes', '5', '--url', url, '--json'])
    const { id, secret } = made.json()
    expect(secret).toMatch(/^whsec_/)
    const change = async (...options: string[]) => {
      const changed = await cli(['alerts', 'update', id, ...options, '--json'])
      expect(changed.stderr).toBe('')
      return changed.json()
    }
    const kept = { id, rule: 'failures', count: 10, minutes: 5, flow: null, target: { kind: 'webhook', url } }
    expect(await change('--tag', 'billing')).toEqual(expect.objectContaining({ ...kept, tag: 'billing' }))
    const more = await change('--count', '20')
    expect(more).toEqual(expect.objectContaining({ ...kept, count: 20, tag: 'billing' }))
    expect(more.secret).toBeUndefined()
    const other = await change('--all-flows', '--rule', 'queue_age', '--seconds', '60')
    expect(other).toMatchObject({ rule: 'queue_age', seconds: 60, flow: null, tag: null, target: kept.target })
    expect(other.count).toBeUndefined()

    expect(await cli(['alerts', 'update', id, '--all-flows', '--tag', 'crm'])).toMatchObject({ exit: 2 })
    expect(await cli(['alerts', 'update', id, '--url', url, '--email', 'a@example.com'])).toMatchObject({ exit: 2 })
    const unknown = await cli(['alerts', 'update', 'alr_none', '--count', '1'])
    expect(unknown).toMatchObject({ exit: 3, stderr: expect.stringContaining('There is no alert alr_none') })
  })
})

describe('connections', () => {
  it('are made with a secret from stdin, changed with one from the environment or a file, and never shown', async () => {
    const made = await cli(['connections', 'set', 'shop', '--kind', 'bearer', '--secret', 'token'], {}, 'from-stdin\n')
    expect(made).toMatchObject({ exit: 0, stdout: 'Created shop: ready.\n' })
    expect(await tokenSent()).toBe('Bearer from-stdin')
    expect(
      (await cli(['connections', 'set', 'shop', '--secret', 'token=env:SHOP_TOKEN'], { SHOP_TOKEN: 'from-env' })).exit,
    ).toBe(0)
    expect(await tokenSent()).toBe('Bearer from-env')
    const file = join(folder, 'token')
    writeFileSync(file, 'from-file\n')
    expect((await cli(['connections', 'set', 'shop', '--secret', `token=file:${file}`])).exit).toBe(0)
    expect(await tokenSent()).toBe('Bearer from-file')

    const hosts = await cli(['connections', 'set', 'shop', '--host', 'api.example.com', '--json'])
    expect(hosts.json()).toMatchObject({ hosts: ['api.example.com'], secretFields: ['token'] })
    const shown = await cli(['connections', 'show', 'shop'])
    expect(shown.stdout).toMatch(/^token +\(secret\)$/m)
    expect(shown.stdout).toMatch(/^only for +all flows$/m)
    await cli(['connections', 'set', 'shop', '--tag', 'billing', '--tag', 'crm'])
    expect((await cli(['connections', 'show', 'shop'])).stdout).toMatch(/^only for +tag billing, tag crm$/m)
    expect(await cli(['connections', 'set', 'shop', '--all-flows', '--tag', 'crm'])).toMatchObject({ exit: 2 })
    const free = await cli(['connections', 'set', 'shop', '--all-flows', '--json'])
    expect(free.json()).toMatchObject({ flows: null, tags: null })
    const listed = await cli(['connections', 'list'])
    expect(listed.stdout).toMatch(/^shop +bearer +ready +3 flows +api\.example\.com$/m)
    expect(hosts.stdout + shown.stdout + listed.stdout).not.toContain('from-file')
  })

  it('take no secret from the command line, and no empty one', async () => {
    const literal = await cli(['connections', 'set', 'crm', '--kind', 'bearer', '--secret', 'token=typed-in'])
    expect(literal).toMatchObject({ exit: 2, stderr: expect.stringContaining('do not belong on the command line') })
    expect(literal.stderr).not.toContain('typed-in')
    expect(await cli(['connections', 'set', 'crm', '--kind', 'bearer', '--secret', 'token'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('The secret "token" is empty.'),
    })
    const two = await cli(['connections', 'set', 'crm', '--kind', 'custom', '--secret', 'a', '--secret', 'b'], {}, 'x')
    expect(two).toMatchObject({ exit: 2, stderr: expect.stringContaining('Only one secret can come from stdin') })
    expect(await cli(['connections', 'set', 'crm'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--kind'),
    })
    expect(await cli(['connections', 'show', 'crm'])).toMatchObject({ exit: 3 })
  })

  it('keep their other fields when one changes, and go when nothing uses them', async () => {
    const set = (...parts: string[]) => cli(['connections', 'set', 'mail', ...parts], { MAIL: 'mail-password' })
    await set('--kind', 'basic', '--field', 'username=ada', '--secret', 'password=env:MAIL')
    expect((await set('--field', 'username=grace', '--json')).json().fields).toEqual({ username: 'grace' })
    expect((await set('--host', 'mail.example.com', '--json')).json()).toMatchObject({
      fields: { username: 'grace' },
      secretFields: ['password'],
    })
    expect((await cli(['connections', 'delete', 'mail', '--yes'])).stdout).toBe('Deleted mail.\n')
    expect(await cli(['connections', 'delete', 'mail', '--yes'])).toMatchObject({ exit: 3 })
    expect(await cli(['connections', 'delete', 'shop', '--yes'])).toMatchObject({ exit: 4 })
  })
})

describe('tokens and users', () => {
  it('make tokens that work until they are revoked', async () => {
    const made = await cli(['tokens', 'create', 'ci', '--scope', 'read', '--json'])
    const { id, token } = made.json()
    expect((await cli(['flows', 'list', '--token', token])).exit).toBe(0)
    expect(await cli(['tokens', 'create', 'more', '--token', token])).toMatchObject({ exit: 6 })
    const listed = await cli(['tokens', 'list'])
    expect(listed.stdout).toMatch(new RegExp(`^${id} +read .* ci$`, 'm'))
    expect(listed.stdout).not.toContain(token)
    expect((await cli(['tokens', 'revoke', id])).exit).toBe(0)
    expect((await cli(['flows', 'list', '--token', token])).exit).toBe(6)
    expect((await cli(['tokens', 'create', 'plain'])).stdout).toMatch(/^mr_\S+\n$/)
  })

  it('limit tokens to flows and tags', async () => {
    for (const [name, tags] of [
      ['Watched', []],
      ['Tagged', ['billing']],
      ['Hidden', []],
    ] as const)
      await millrace.api('POST', '/flows', { ...documentOf([]), name, tags })
    const made = await cli(
      'tokens create watcher --scope flows:read --flow Watched --tag billing --expires 2099-01-01T00:00:00Z'.split(' '),
    )
    const listed = (await cli(['flows', 'list', '--json', '--token', made.stdout.trim()])).json()
    expect(listed.items.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Tagged', 'Watched'])
    expect(await cli(['tokens', 'create', 'none', '--flow', 'Nowhere'])).toMatchObject({ exit: 3 })
  })

  it('invite people', async () => {
    expect((await cli(['users', 'list'])).stdout).toContain('There are no users yet')
    const invited = await cli(['users', 'invite', 'ada@example.com', '--role', 'editor'])
    expect(invited.stdout).toMatch(/^http\S+\/invite#code=\S+\n$/)
    expect(invited.stderr).toContain('it works once')
    expect((await millrace.api('GET', '/invitations')).body.items).toMatchObject([
      { email: 'ada@example.com', role: 'editor' },
    ])
  })
})

describe('completion', () => {
  it('is a script that bash takes, and knows commands, options and files', async () => {
    const { stdout: script } = await callCli(['completion', 'bash'])
    const complete = (...words: string[]) => {
      const line = `COMP_WORDS=(millrace ${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length}; _millrace; echo "\${COMPREPLY[@]}"`
      const { stdout, stderr, status } = spawnSync('bash', ['-c', `${script}\n${line}`], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, ''])
      return stdout.trim().split(' ')
    }
    writeFileSync(join(folder, 'orders.yaml'), '')
    expect(complete('fl')).toEqual(['flows'])
    expect(complete('flows', 'pu')).toEqual(['publish'])
    expect(complete('runs', 'list', '--st')).toEqual(['--status'])
    expect(complete('flows', 'validate', 'ord')).toEqual(['orders.yaml'])
    expect(complete('runs', 'show', 'run_1', '--fu')).toEqual(['--full'])
  })

  it('has every command, in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await callCli(['completion', shell])
      for (const { name, options } of commands) {
        for (const word of name.split(' ')) expect(stdout).toContain(word)
        for (const option of Object.keys(options)) expect(stdout).toContain(option)
      }
    }
    expect(await callCli(['completion', 'tcsh'])).toMatchObject({ exit: 2 })
  })
})
