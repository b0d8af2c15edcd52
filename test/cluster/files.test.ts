// Tests files where one process takes them in and another runs the runs: forwarded, given back as a reply, and kept over kills.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFileRows, GRACE_MS } from '../../src/storage/files/file-rows.ts'
import { createFileStore } from '../../src/storage/files/file-store.ts'
import { openPostgres } from '../../src/storage/postgres/database.ts'
import { createChunkPlace } from '../../src/storage/postgres/files/chunk-place.ts'
import { type Cluster, startCluster } from '../harness/cluster.ts'
import type { MillraceProcess } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

/** FILE_KILLS=50 vitest run test/cluster/files.test.ts */
const KILLS = Number(process.env['FILE_KILLS'] ?? 2)
const PDF = { 'content-type': 'application/pdf' }

let databases: Databases
let databaseUrl: string
let cluster: Cluster
let hasher: Server

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

beforeAll(async () => {
  // Answers with the hash of what came.
  hasher = createServer(async (request, response) => {
    const hash = createHash('sha256')
    try {
      for await (const chunk of request) hash.update(chunk as Buffer)
      response.end(hash.digest('hex'))
    } catch {
      // The process that sent it was killed.
    }
  })
  await new Promise<void>((resolve) => hasher.listen(0, '127.0.0.1', resolve))
  databases = await startDatabases()
  databaseUrl = await databases.create()
  cluster = await startCluster(
    databaseUrl,
    { web: 1, workers: 1 },
    { MILLRACE_ENV_HASHER: `http://127.0.0.1:${(hasher.address() as AddressInfo).port}` },
  )
}, 120_000)
afterAll(async () => {
  await cluster.stop()
  hasher.closeAllConnections()
  hasher.close()
  await databases.stop()
}, 60_000)

const flowNamed = (name: string, response: object, steps: object[] = []) => ({
  name,
  trigger: { kind: 'webhook', accept: ['application/pdf'], response },
  steps: [
    {
      id: 'send',
      kind: 'http',
      method: 'PUT',
      url: '{{ env.HASHER }}',
      body: { kind: 'file', value: '{{ webhook.file }}' },
      retry: { attempts: 5, delay: 0.1 },
    },
    ...steps,
  ],
})

const webhookAt = ({ url }: MillraceProcess, { flow }: { flow: { webhook: { id: string } } }) =>
  `${url}/api/v1/webhooks/${flow.webhook.id}`

it('is forwarded and answered with by the process that did not take it in', async () => {
  const web = cluster.web[0]!
  const published = await web.publish(
    flowNamed('Echo', { mode: 'finished' }, [{ id: 'answer', kind: 'respond', file: '{{ webhook.file }}' }]),
  )
  const bytes = randomBytes(700_000)
  const reply = await fetch(webhookAt(web, published), { method: 'POST', headers: PDF, body: bytes })
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-length')]).toEqual([
    200,
    'application/pdf',
    '700000',
  ])
  expect(sha256(new Uint8Array(await reply.arrayBuffer()))).toBe(sha256(bytes))
  const [run] = (await web.api('GET', `/runs?flow=${published.flow.id}`)).body.items
  expect((await web.runEnded(run.id)).steps[0]).toMatchObject({ output: { body: sha256(bytes) } })
})

it(
  `is neither lost nor left behind, over ${KILLS} kills of either process`,
  async () => {
    let web = cluster.web[0]!
    const published = await web.publish(flowNamed('Kept', { mode: 'immediate' }))
    const acknowledged = new Map<string, string>()
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = kill % 2 === 0 ? web : cluster.workers.at(-1)!
      let left = randomInt(10, 30)
      const send = async (): Promise<void> => {
        while (left > 0) {
          const bytes = randomBytes(randomInt(600_000))
          try {
            const reply = await fetch(webhookAt(web, published), { method: 'POST', headers: PDF, body: bytes })
            expect(reply.status).toBe(200)
            acknowledged.set(((await reply.json()) as { id: string }).id, sha256(bytes))
          } catch (error) {
            if (left > 0) throw error
          }
          if (--left === 0) victim.child.kill('SIGKILL')
        }
      }
      await Promise.all([send(), send(), send()])
      expect(await victim.exited).toBe('SIGKILL')
      const next = await cluster.add(victim === web ? 'web' : 'worker')
      if (victim === web) web = next
    }
    expect(acknowledged.size).toBeGreaterThan(KILLS)
    for (const [id, hash] of acknowledged)
      expect((await web.runEnded(id)).steps[0]).toMatchObject({ error: null, output: { body: hash } })
    await cluster.stop()

    const storage = await openPostgres(databaseUrl)
    try {
      const { kysely } = storage
      const files = createFileStore({
        rows: createFileRows(kysely),
        place: createChunkPlace(storage.steady),
        others: [],
        seal: () => '',
        unseal: () => null,
        newId: () => '',
        newKey: () => new Uint8Array(32),
        // When the uploads of the killed processes have given no sign of life for long enough.
        now: () => Date.now() + 2 * GRACE_MS,
        shared: true,
      })
      while ((await files.sweep()) > 0);
      const idsOf = async (rows: Promise<{ id: string }[]>) => (await rows).map(({ id }) => id).toSorted()
      const used = await idsOf(kysely.selectFrom('file_use').select('file_id as id').distinct().execute())
      expect(await idsOf(kysely.selectFrom('file').select('id').execute())).toEqual(used)
      const kept = await storage.steady.query<{ id: string }>({
        text: 'select distinct file_id as id from file_chunk',
        values: [],
      })
      expect(kept.map(({ id }) => id).toSorted()).toEqual(used)
      expect((await files.facts()).files).toBe(used.length)
    } finally {
      await storage.close()
    }
  },
  120_000 + KILLS * 40_000,
)
