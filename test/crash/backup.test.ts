// Tests that a backup made under load, restored into another folder, has every run that was acknowledged before it began.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { callCli, spawnCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { documentOf } from '../harness/management.ts'
import { spawnMillrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true }))

const greet = { id: 'greet', kind: 'set', vars: { n: '{{ webhook.body.n }}', pad: '{{ webhook.body.pad }}' } }

describe('a backup', () => {
  it('made under load holds every run that was acknowledged before, and is complete without a stop', async () => {
    const dataDir = join(folder, 'busy')
    const millrace = await spawnMillrace(dataDir, await freePort())
    const { flow, post } = await millrace.publish(
      documentOf([greet], { auth: { kind: 'header', name: 'X-Key', value: 'a-sealed-literal' } }, 'Busy'),
    )
    const acknowledged: string[] = []
    let busy = true
    const send = async () => {
      for (let n = 0; busy; n++) {
        const answer = await post({ n, pad: 'x'.repeat(2000) }, { 'X-Key': 'a-sealed-literal' })
        expect(answer.status).toBe(200)
        acknowledged.push(answer.body.id)
      }
    }
    const senders = Array.from({ length: 8 }, send)
    while (acknowledged.length < 300) await new Promise((resolve) => setImmediate(resolve))

    const before = [...acknowledged]
    const file = join(folder, 'busy.db')
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const made = await spawnCli(['backup', file, '--json'], { env })
    const during = acknowledged.length
    busy = false
    await Promise.all(senders)
    expect(made).toMatchObject({ exit: 0, json: expect.any(Function) })
    expect(made.json()).toEqual({ file, size: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // Deliveries were accepted during the backup, and it leaves nothing in the folder.
    expect(during).toBeGreaterThan(before.length)
    expect(readdirSync(dataDir).filter((name) => name.includes('backup'))).toEqual([])
    const audit = (await millrace.api('GET', '/audit')).body.items
    expect(audit).toContainEqual(expect.objectContaining({ action: 'backup.create' }))
    millrace.child.kill('SIGKILL')
    await millrace.exited

    const restored = join(folder, 'restored')
    const args = ['restore', file, '--data-dir', restored, '--key-file', join(dataDir, 'secret.key')]
    expect(await callCli(args)).toMatchObject({ exit: 0, stdout: expect.stringContaining(restored) })
    const again = await startMillrace({ MILLRACE_DATA_DIR: restored })
    for (const id of before) expect((await again.runEnded(id)).status).toBe('succeeded')
    // The sealed literal can be read, so the key is right.
    const sent = await fetch(`${again.url}/api/v1/webhooks/${flow.webhook.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Key': 'a-sealed-literal' },
      body: '{"n":1,"pad":""}',
    })
    expect(sent.status).toBe(200)
    await again.stop()
  }, 120_000)

  it('holds no key: a folder restored without it does not start, and says what is missing', async () => {
    const dataDir = join(folder, 'sealed')
    const millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
    await millrace.publish(documentOf([], { auth: { kind: 'header', name: 'X-Key', value: 'a-sealed-literal' } }))
    await millrace.stop()
    const file = join(folder, 'sealed.db')
    const made = await callCli(['backup', file, '--data-dir', dataDir])
    expect(made).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('does not contain the key that seals secrets'),
    })
    expect(readFileSync(file).includes(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim())).toBe(false)
    expect(readFileSync(file).includes('a-sealed-literal')).toBe(false)

    const keyless = join(folder, 'keyless')
    const restored = await callCli(['restore', file], { env: { MILLRACE_DATA_DIR: keyless } })
    expect(restored).toMatchObject({ exit: 0, stderr: expect.stringContaining('the key is missing') })
    await expect(startMillrace({ MILLRACE_DATA_DIR: keyless })).rejects.toThrow('secret.key, is missing')
    copyFileSync(join(dataDir, 'secret.key'), join(keyless, 'secret.key'))
    const started = await startMillrace({ MILLRACE_DATA_DIR: keyless })
    await started.stop()
  })

  it('overwrites nothing unasked, neither a file nor a folder', async () => {
    const dataDir = join(folder, 'mine')
    await (await startMillrace({ MILLRACE_DATA_DIR: dataDir })).stop()
    const file = join(folder, 'mine.db')
    writeFileSync(file, 'something else')
    const refused = await callCli(['backup', file, '--data-dir', dataDir])
    expect(refused).toMatchObject({ exit: 4, stderr: expect.stringContaining('already exists') })
    expect(readFileSync(file, 'utf8')).toBe('something else')
    expect((await callCli(['backup', file, '--data-dir', dataDir, '--force'])).exit).toBe(0)
    expect(await callCli(['restore', file, '--data-dir', dataDir])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('already holds a database'),
    })
  })

  it('is not restored where it is none, or damaged', async () => {
    const target = join(folder, 'target')
    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database, but long enough to be looked at'.repeat(100))
    const foreign = join(folder, 'foreign.db')
    new DatabaseSync(foreign).exec('CREATE TABLE t (x)')
    const damaged = join(folder, 'damaged.db')
    const bytes = readFileSync(join(folder, 'mine.db'))
    bytes.fill(0xff, 4096 * 3, 4096 * 6)
    writeFileSync(damaged, bytes)
    for (const file of [text, foreign, damaged])
      expect(await callCli(['restore', file, '--data-dir', target])).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining('is not a usable backup'),
      })
    expect(await callCli(['restore', join(folder, 'nowhere.db'), '--data-dir', target])).toMatchObject({ exit: 3 })
    expect(existsSync(target)).toBe(false)
  })
})
