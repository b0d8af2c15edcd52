// Tests the command that sets a new password, beside the service or without it.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Browser, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { type Millrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'

const folder = (): string => {
  const dataDir = temporaryFolder()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function reset(dataDir: string, email: string, input: string): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [ENTRY, 'users', 'reset-password', email], {
    env: childEnvironment({ MILLRACE_DATA_DIR: dataDir }),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  child.stdin.end(input)
  const code = await new Promise<number>((resolve) => child.on('close', resolve))
  return { code, output }
}

const signIn = (millrace: Millrace, password: string, browser: Browser = openBrowser(millrace)) =>
  browser.send('POST', '/api/auth/sign-in/email', { email: 'ada@example.com', password })

describe('millrace users reset-password', { timeout: 60_000 }, () => {
  it('takes the password from its input while Millrace is running, and ends the sessions', async () => {
    const dataDir = folder()
    const millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    const owner = await setUpOwner(millrace)
    const { code, output } = await reset(dataDir, 'Ada@Example.com', 'a new password\nanother line\n')
    expect(output).toContain('has a new password')
    expect(output).not.toContain('a new password\n')
    expect(code).toBe(0)
    expect((await owner.send('GET', '/api/v1/me')).status).toBe(401)
    expect((await signIn(millrace, PASSWORD)).status).toBe(401)
    expect((await signIn(millrace, 'a new password')).status).toBe(200)
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items).toContainEqual(
      expect.objectContaining({
        action: 'user.password_reset',
        actor: 'command line',
        target: expect.objectContaining({ kind: 'user', name: 'ada@example.com' }),
      }),
    )
    await millrace.stop()
  })

  it('makes one and prints it where none is given, also while Millrace is stopped', async () => {
    const dataDir = folder()
    const first = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await setUpOwner(first)
    await first.stop()
    const { output } = await reset(dataDir, 'ada@example.com', '')
    const [, password] = /^The password is: (\S{20})$/m.exec(output)!
    const second = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    expect((await signIn(second, password!)).status).toBe(200)
    await second.stop()
  })

  it('says what is wrong, and changes nothing', async () => {
    const dataDir = folder()
    const empty = await reset(dataDir, 'ada@example.com', 'a new password')
    expect(empty).toMatchObject({ code: 1, output: expect.stringContaining(`There is no database in ${dataDir}`) })
    const millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await setUpOwner(millrace)
    const short = await reset(dataDir, 'ada@example.com', 'short')
    expect(short).toMatchObject({ code: 1, output: expect.stringContaining('10 to 256 characters') })
    const unknown = await reset(dataDir, 'eve@example.com', 'a new password')
    expect(unknown).toMatchObject({ code: 3, output: expect.stringContaining('There is no user eve@example.com') })
    expect((await signIn(millrace, PASSWORD)).status).toBe(200)
    await millrace.stop()
  })
})
