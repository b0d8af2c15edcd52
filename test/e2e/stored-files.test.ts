// Tests what becomes of files once they are stored: how they are given out, backed up, kept in a bucket, and deleted.
import { createHash, randomBytes } from 'node:crypto'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucketServer } from '../harness/bucket-server.ts'
import { callCli } from '../harness/cli.ts'
import { type Millrace, type PublishedFlow, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
const dataDir = join(folder, 'data')
const BYTES = randomBytes(300_000)
const DOCUMENT = { name: 'Kept', trigger: { kind: 'webhook', accept: ['application/pdf'] }, steps: [] }

let millrace: Millrace
let flow: PublishedFlow
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
  flow = await millrace.publish(DOCUMENT)
})
afterAll(async () => {
  await millrace.stop()
  rmSync(folder, { recursive: true })
})

/** Returns the id of the file of a run that the bytes have started. */
async function upload(to: { millrace: Millrace; flow: PublishedFlow }, bytes: Uint8Array) {
  const sent = await fetch(to.flow.flow.webhook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/pdf' },
    body: new Uint8Array(bytes),
  })
  expect(sent.status).toBe(200)
  const run = await to.millrace.runEnded(((await sent.json()) as { id: string }).id)
  return { run: run.id as string, file: run.webhook.file!.file as string }
}

const AUTH = { authorization: `Bearer ${TOKEN}` }
const download = (from: Millrace, id: string, headers: Record<string, string> = {}, query = '') =>
  fetch(`${from.url}/api/v1/files/${id}${query}`, { headers: { ...AUTH, ...headers } })
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())
const onDisk = (id: string) => join(dataDir, globSync(`files/*/*/${id}`, { cwd: dataDir })[0]!)

describe('a stored file', () => {
  it('is given out to save, never to open, to those who may read runs', async () => {
    const { file } = await upload({ millrace, flow }, BYTES)
    const reply = await download(millrace, file, {}, '?name=..%2Frechnung%20%22gr%C3%B6%C3%9Fe%22.html')
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(BYTES.length),
      'content-disposition': `attachment; filename=".._rechnung _gr__e_.html"; filename*=UTF-8''..%2Frechnung%20%22gr%C3%B6%C3%9Fe%22.html`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      etag: `"${createHash('sha256').update(BYTES).digest('hex')}"`,
    })
    expect((await bytesOf(reply)).equals(BYTES)).toBe(true)
    expect((await fetch(`${millrace.url}/api/v1/files/${file}`)).status).toBe(401)
    expect((await download(millrace, 'blob_unknown')).status).toBe(404)
  })

  it('is given out in parts', async () => {
    const { file } = await upload({ millrace, flow }, BYTES)
    const etag = (await download(millrace, file)).headers.get('etag')!
    const part = await download(millrace, file, { range: 'bytes=65530-65545', 'if-range': etag })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 65530-65545/${BYTES.length}`])
    expect((await bytesOf(part)).equals(BYTES.subarray(65_530, 65_546))).toBe(true)
    const changed = await download(millrace, file, { range: 'bytes=0-1', 'if-range': '"another"' })
    expect([changed.status, (await bytesOf(changed)).length]).toEqual([200, BYTES.length])
    const beyond = await download(millrace, file, { range: `bytes=${BYTES.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${BYTES.length}`])
    expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' })
    expect((await download(millrace, file, { 'if-none-match': etag })).status).toBe(304)
    const head = await fetch(`${millrace.url}/api/v1/files/${file}`, { method: 'HEAD', headers: AUTH })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(BYTES.length)])
  })

  it('is for its owner only, encrypted, and breaks off where it was changed', async () => {
    const text = Buffer.from('a readable text '.repeat(20_000))
    const { file } = await upload({ millrace, flow }, text)
    const path = onDisk(file)
    const stored = readFileSync(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(stored.includes('readable')).toBe(false)
    stored[stored.length - 20]! ^= 1
    writeFileSync(path, stored)
    const ended = await new Promise<{ bytes: number; complete: boolean }>((resolve) => {
      let bytes = 0
      request(`${millrace.url}/api/v1/files/${file}`, { headers: AUTH }, (reply) => {
        reply.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        reply.on('error', () => {})
        reply.on('close', () => resolve({ bytes, complete: reply.complete }))
      }).end()
    })
    expect(ended.complete).toBe(false)
    expect(ended.bytes).toBeLessThan(text.length)
  })

  it('is counted in the metrics', async () => {
    const metrics = await (await fetch(`${millrace.url}/metrics`, { headers: AUTH })).text()
    expect(metrics).toMatch(/^millrace_files [1-9]/m)
    expect(metrics).toMatch(/^millrace_file_bytes [1-9]/m)
    expect(metrics).toMatch(/^millrace_files_incoming 0$/m)
  })
})

describe('a backup', () => {
  it('holds the files, and a folder made of it has them', async () => {
    const bytes = randomBytes(100_000)
    const { file } = await upload({ millrace, flow }, bytes)
    const archive = join(folder, 'millrace.tar')
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const made = await callCli(['backup', archive], { env })
    expect(made).toMatchObject({ exit: 0, stdout: expect.stringMatching(/with \d+ files of \d/) })
    expect(globSync('millrace.backup*', { cwd: dataDir })).toEqual([])

    const restored = join(folder, 'restored')
    const args = ['restore', archive, '--data-dir', restored, '--key-file', join(dataDir, 'secret.key')]
    expect(await callCli(args)).toMatchObject({ exit: 0, stdout: expect.stringMatching(/with \d+ files of \d/) })
    const again = await startMillrace({ MILLRACE_DATA_DIR: restored })
    expect((await bytesOf(await download(again, file))).equals(bytes)).toBe(true)
    await again.stop()

    writeFileSync(archive, readFileSync(archive).subarray(0, 20_000))
    const broken = await callCli(['restore', archive, '--data-dir', join(folder, 'broken')])
    expect(broken).toMatchObject({ exit: 1, stderr: expect.stringContaining('is not a usable backup') })
  }, 60_000)
})

describe('with MILLRACE_FILES_URL', () => {
  it('files are in the bucket, and those from before are still found', async () => {
    const bucket = await startBucketServer()
    const own = join(folder, 'bucket')
    const plain = await startMillrace({ MILLRACE_DATA_DIR: own })
    const before = await upload({ millrace: plain, flow: await plain.publish(DOCUMENT) }, BYTES)
    await plain.stop()
    const MILLRACE_FILES_URL = bucket.urlOf('kept/millrace')
    const there = await startMillrace({ MILLRACE_DATA_DIR: own, MILLRACE_FILES_URL })
    const published = await there.publish({ ...DOCUMENT, name: 'In a bucket' })
    const bytes = randomBytes(100_000)
    const { file } = await upload({ millrace: there, flow: published }, bytes)
    expect(bucket.objects()).toHaveLength(1)
    expect((await bytesOf(await download(there, file, { range: 'bytes=70000-' }))).equals(bytes.subarray(70_000))).toBe(
      true,
    )
    expect((await bytesOf(await download(there, before.file))).equals(BYTES)).toBe(true)
    const env = { MILLRACE_BASE_URL: there.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const made = await callCli(['backup', join(folder, 'bucket.tar')], { env })
    expect(made.stderr).toContain('does not contain 1 file in the bucket of MILLRACE_FILES_URL')
    const settings = { MILLRACE_DATA_DIR: own, MILLRACE_FILES_URL }
    const { stdout } = await callCli(['doctor'], { env: settings })
    expect(stdout).toMatch(/ok +files +Files of runs are kept in the bucket kept\/millrace at 127\.0\.0\.1/)
    expect(stdout).not.toContain('S3RVER')
    await there.stop()
    await bucket.stop()
  }, 60_000)
})
