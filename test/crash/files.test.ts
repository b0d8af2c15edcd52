// Kills processes that take files in, forward, delete and sweep them, again and again, wherever they are.
import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../src/storage/sqlite/database.ts'
import { openFileStore } from '../harness/file-store.ts'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, TOKEN } from '../harness/millrace.ts'

/** FILE_KILLS=50 vitest run test/crash/files.test.ts */
const KILLS = Number(process.env['FILE_KILLS'] ?? 2)
const WORKER = join(import.meta.dirname, '../harness/file-worker.ts')

interface Stored {
  file: string
  sha256: string
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-file-kills-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Opens a data folder that no process holds any more, as the next process would, and sweeps. */
async function openSwept(folder: string) {
  const storage = await openSqlite(folder)
  onTestFinished(() => storage.close())
  const files = openFileStore(storage, folder)
  while ((await files.sweep()) > 0);
  return { kysely: storage.kysely, files }
}

/** Checks that what is stored is what runs use, and nothing else: in the rows, on the disk and in the counts. */
async function expectNoOrphan(folder: string, { kysely, files }: Awaited<ReturnType<typeof openSwept>>): Promise<void> {
  const uses = await kysely.selectFrom('file_use').selectAll().execute()
  const runs = new Set((await kysely.selectFrom('run').select('id').execute()).map(({ id }) => id))
  expect(uses.filter(({ owner }) => !runs.has(owner))).toEqual([])
  const used = [...new Set(uses.map(({ file_id }) => file_id))].toSorted()
  const rows = await kysely.selectFrom('file').select(['id', 'size']).orderBy('id').execute()
  expect(rows.map(({ id }) => id)).toEqual(used)
  const onDisk = globSync('files/**/blob_*', { cwd: folder }).map((path) => basename(path))
  expect(onDisk.toSorted()).toEqual(used)
  const bytes = rows.reduce((sum, { size }) => sum + size!, 0)
  expect(await files.facts()).toMatchObject({ files: used.length, bytes })
}

it(
  `loses no acknowledged file and leaves no other, over ${KILLS} kills`,
  async () => {
    const folder = temporary()
    const stored = new Map<string, Stored>()
    const mayBeGone = new Set<string>()
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = spawn(process.execPath, [WORKER, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
      // Sweeps are most of the lines on a slow machine: the count begins when there is something to lose.
      const before = stored.size
      let left = randomInt(1, 56)
      for await (const line of createInterface(worker.stdout)) {
        const said = JSON.parse(line) as { did: string; run: string } & Stored
        if (said.did === 'stored') stored.set(said.run, said)
        if (said.did === 'delete') mayBeGone.add(said.run)
        if (stored.size > before + 1 && --left === 0) worker.kill('SIGKILL')
      }
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
      expect(worker.signalCode).toBe('SIGKILL')
    }

    const swept = await openSwept(folder)
    expect(stored.size).toBeGreaterThan(KILLS)
    for (const [run, { file, sha256: expected }] of stored) {
      if (mayBeGone.has(run)) continue
      const hash = createHash('sha256')
      for await (const part of (await swept.files.open(file, run)).bytes) hash.update(part)
      expect(hash.digest('hex')).toBe(expected)
    }
    await expectNoOrphan(folder, swept)
  },
  60_000 + KILLS * 20_000,
)

/** Answers with the hash of what came, so that a run shows what was forwarded. */
async function startHasher(): Promise<string> {
  const server = createServer(async (request, response) => {
    const hash = createHash('sha256')
    try {
      for await (const chunk of request) hash.update(chunk as Buffer)
      response.end(hash.digest('hex'))
    } catch {
      // The process that sent it was killed.
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it(
  `keeps and forwards every file that a webhook has acknowledged, over ${KILLS} kills of the service`,
  async () => {
    const folder = temporary()
    const hasher = await startHasher()
    const flowNamed = (name: string) => ({
      name,
      trigger: { kind: 'webhook', accept: ['application/pdf'] },
      steps: [
        {
          id: 'send',
          kind: 'http',
          method: 'PUT',
          url: hasher,
          body: { kind: 'file', value: '{{ webhook.file }}' },
          // The server may close an idle socket at the moment at which a request is sent on it.
          retry: { attempts: 5, delay: 0.1 },
        },
      ],
    })
    const port = await freePort()
    let server: MillraceProcess = await spawnMillrace(folder, port)
    const kept = await server.publish(flowNamed('Kept'))
    /** The hashes of acknowledged files, by run. */
    const acknowledged = new Map<string, string>()
    for (let kill = 0; kill < KILLS; kill++) {
      const deleted = await server.publish(flowNamed('Deleted'))
      let left = randomInt(10, 30)
      let isDeleted = false
      const send = async (url: string, isKept: boolean): Promise<void> => {
        for (;;) {
          const bytes = randomBytes(randomInt(400_000))
          try {
            const headers = { 'content-type': 'application/pdf' }
            const reply = await fetch(url, { method: 'POST', headers, body: bytes })
            const { id } = (await reply.json()) as { id?: string }
            if (reply.status === 404) return
            expect(reply.status).toBe(200)
            if (isKept) acknowledged.set(id!, sha256(bytes))
            left--
            if (left <= 0) server.child.kill('SIGKILL')
            else if (left < 5 && !isDeleted) {
              isDeleted = true
              await server.api('DELETE', `/flows/${deleted.flow.id}`)
            }
          } catch (error) {
            if (left > 0) throw error
            return
          }
        }
      }
      const urls = [kept.flow.webhook.url, kept.flow.webhook.url, deleted.flow.webhook.url]
      await Promise.all(urls.map((url, i) => send(url, i < 2)))
      expect(await server.exited).toBe('SIGKILL')
      server = await spawnMillrace(folder, port)
    }
    for (const [id, hash] of acknowledged) {
      const run = await server.runEnded(id)
      expect(run.steps[0]).toMatchObject({ error: null, output: { body: hash } })
      const { file } = run.webhook.file!
      const headers = { authorization: `Bearer ${TOKEN}` }
      const reply = await fetch(`${server.url}/api/v1/files/${file}`, { headers })
      expect(sha256(new Uint8Array(await reply.arrayBuffer()))).toBe(hash)
    }
    server.child.kill('SIGKILL')
    await server.exited
    await expectNoOrphan(folder, await openSwept(folder))
  },
  60_000 + KILLS * 30_000,
)

it('refuses a file that finds no room, and leaves nothing of it', async () => {
  const folder = temporary()
  const server = await spawnMillrace(folder, await freePort(), { TEST_FILE_BLOCKS: '8000' })
  const { flow } = await server.publish({
    name: 'Large',
    trigger: { kind: 'webhook', accept: ['application/pdf'] },
    steps: [],
  })
  const send = (size: number) =>
    fetch(flow.webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/pdf' },
      body: randomBytes(size),
    })
  const refused = await send(10_000_000)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)])
  expect(globSync('files/**/blob_*', { cwd: folder })).toEqual([])
  expect((await send(100_000)).status).toBe(200)
  expect(globSync('files/**/blob_*', { cwd: folder })).toHaveLength(1)
  server.child.kill('SIGKILL')
  await server.exited
}, 60_000)
