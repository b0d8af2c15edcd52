// The behaviour of the store of files, on every database.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../engine/ids.ts'
import { DamagedFile, type FileStore, FileTooLarge, NoRoomForFiles, NoSuchFile } from '../../engine/ports/files.ts'
import { type NewRun, startedByDelivery } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { SampleStore } from '../../operations/ports/deliveries.ts'
import type { FlowStore } from '../../operations/ports/flows.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { FileKeeping, Housekeeping, SealedRows } from '../../operations/ports/upkeep.ts'
import { GRACE_MS } from '../files/file-rows.ts'
import { UNVERIFIED_BYTES } from '../files/file-store.ts'
import { webhook } from './stores.testkit.ts'

export interface FileWorld {
  files: FileStore & FileKeeping
  /** Another process on the same database. On the embedded one, the process that comes after this one. */
  other(): FileStore & FileKeeping
  flows: FlowStore
  runs: RunStore
  samples: SampleStore
  housekeeping: Housekeeping
  sealedRows: SealedRows
  /** Returns the ids of the files whose bytes are kept, complete or not. */
  kept(): Promise<string[]>
  /** Deletes the uses of a run that stays. */
  dropUses(run: string): Promise<void>
  /** Changes a byte of what is kept of a file. */
  damage(id: string): Promise<void>
  close(): Promise<void>
}

export const fileClock = { time: Date.UTC(2026, 5, 1) }
const ids = createIds(() => fileClock.time, randomBytes)
const MAX = { maxBytes: 1_000_000 }

async function* of(...parts: Uint8Array[]) {
  yield* parts
}

async function read(files: FileStore, id: string, owner: string | null, range?: { start: number; end: number }) {
  const parts: Uint8Array[] = []
  for await (const part of (await files.open(id, owner, range)).bytes) parts.push(part)
  return Buffer.concat(parts)
}

const runOf = (flowId: string, files: string[]): NewRun => ({
  id: ids.next('run'),
  flowId,
  version: null,
  document: null,
  test: false,
  ...startedByDelivery(webhook({ a: 1 })),
  hops: 0,
  replyStatus: 202,
  createdAt: fileClock.time,
  replayOf: null,
  files,
})

export function fileContract(name: string, open: () => Promise<FileWorld>): void {
  describe(`files on ${name}`, () => {
    let world: FileWorld
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world.close())

    const add = (bytes = randomBytes(100_000)) => world.files.add(of(bytes), MAX)
    const makeFlow = async (): Promise<string> => {
      const id = ids.next('flow')
      const at = {
        createdAt: fileClock.time,
        updatedAt: fileClock.time,
        updatedBy: null,
        publishedAt: null,
        pausedAt: null,
      }
      const state = { revision: 1, version: null, liveTrigger: null, slug: null, draft: '{}' }
      await world.flows.create({ id, name: 'x', webhookId: ids.webhookId(), ...state, ...at })
      return id
    }
    /** Sweeps as if whoever added files had gone long ago. */
    const sweepLater = async () => {
      const after = world.other()
      fileClock.time += 2 * GRACE_MS
      while ((await after.sweep()) > 0);
    }
    const isGone = async (id: string) => {
      await expect(world.files.open(id, null)).rejects.toThrow(NoSuchFile)
      expect(await world.kept()).not.toContain(id)
    }

    it('gives back what was added, whole and in parts, to those who use it', async () => {
      const bytes = randomBytes(200_000)
      const { id, size, sha256 } = await world.files.add(of(bytes.subarray(0, 5), bytes.subarray(5)), MAX)
      expect({ size, sha256 }).toEqual({ size: 200_000, sha256: createHash('sha256').update(bytes).digest('hex') })
      const flow = await makeFlow()
      const run = runOf(flow, [id])
      await world.runs.accept(run)
      expect(await read(world.files, id, run.id)).toEqual(bytes)
      expect(await read(world.files, id, null, { start: 65_000, end: 70_000 })).toEqual(bytes.subarray(65_000, 70_000))
      expect(await world.files.usedBy(run.id, [id, 'blob_x'])).toEqual([id])
      await expect(world.files.open(id, 'run_other')).rejects.toThrow(NoSuchFile)
    })

    it('keeps the same content once, for as long as somebody uses it', async () => {
      const bytes = randomBytes(1_000)
      const first = await add(bytes)
      const second = await add(bytes)
      expect(second.id).toBe(first.id)
      await world.files.discard([first.id])
      const run = runOf(await makeFlow(), [second.id])
      await world.runs.accept(run)
      await world.files.discard([second.id])
      expect(await read(world.files, first.id, run.id)).toEqual(bytes)
      const [third, fourth] = await Promise.all([add(Buffer.from('same')), add(Buffer.from('same'))])
      expect(third.id).toBe(fourth.id)
      const kept = await world.kept()
      await world.files.discard([third.id, fourth.id])
      expect(await world.kept()).toHaveLength(kept.length - 1)
    })

    it('leaves nothing of a file that is too large or breaks off', async () => {
      const kept = await world.kept()
      await expect(world.files.add(of(Buffer.alloc(600_000), Buffer.alloc(600_000)), MAX)).rejects.toThrow(FileTooLarge)
      const broken = (async function* () {
        yield Buffer.alloc(300_000)
        throw new Error('the sender has gone')
      })()
      await expect(world.files.add(broken, MAX)).rejects.toThrow('the sender has gone')
      expect(await world.kept()).toEqual(kept)
    })

    it('deletes at once what is given back, but not what another has added meanwhile', async () => {
      const { id } = await add()
      await world.files.discard([id, 'blob_unknown'])
      await isGone(id)
      const bytes = randomBytes(10)
      const here = await add(bytes)
      const there = await world.other().add(of(bytes), MAX)
      expect(there.id).toBe(here.id)
      await world.files.discard([here.id])
      await world.files.use(await makeFlow(), [here.id])
      expect(await read(world.files, here.id, null)).toEqual(bytes)
    })

    it('stores a run only with all its files', async () => {
      const flow = await makeFlow()
      const [kept, gone] = [await add(), await add()]
      await world.files.discard([gone.id])
      const dedupe = { key: 'order-1', expiresAt: fileClock.time + 60_000 }
      const refused = runOf(flow, [kept.id, gone.id])
      await expect(world.runs.accept(refused, dedupe)).rejects.toThrow(StorageUnavailable)
      expect(await world.runs.get(refused.id)).toBeNull()
      // Neither its key nor its files are taken.
      const run = runOf(flow, [kept.id])
      expect(await world.runs.accept(run, dedupe)).toMatchObject({ duplicateOf: null })
      const again = await add()
      const twice = runOf(flow, [again.id])
      expect(await world.runs.accept(twice, dedupe)).toMatchObject({ duplicateOf: run.id })
      expect(await world.files.usedBy(twice.id, [again.id])).toEqual([])
      await sweepLater()
      await isGone(again.id)
      expect(await world.files.usedBy(run.id, [kept.id])).toEqual([kept.id])
    })

    it('deletes a file with the last run that uses it', async () => {
      const { id } = await add()
      const [flow, otherFlow] = [await makeFlow(), await makeFlow()]
      const runs = [runOf(flow, [id]), runOf(otherFlow, [id])]
      for (const run of runs) await world.runs.accept(run)
      await world.flows.remove(flow, fileClock.time)
      await sweepLater()
      expect(await read(world.files, id, runs[1]!.id)).toHaveLength(100_000)
      await world.runs.cancel(runs[1]!.id, fileClock.time, { code: 'cancelled', message: 'x' })
      fileClock.time += 1000
      await world.housekeeping.deleteOlderThan(fileClock.time, fileClock.time, 1_000)
      await sweepLater()
      await isGone(id)
    })

    it('deletes the files of a flow, and of a run that stays without its data', async () => {
      const [flow, otherFlow] = [await makeFlow(), await makeFlow()]
      const [ofFlow, ofRun] = [await add(), await add()]
      await world.files.use(flow, [ofFlow.id])
      const run = runOf(otherFlow, [ofRun.id])
      await world.runs.accept(run)
      expect(await read(world.files, ofRun.id, null)).toHaveLength(100_000)
      await world.flows.remove(flow, fileClock.time)
      await world.dropUses(run.id)
      await expect(world.files.open(ofRun.id, null)).rejects.toThrow(NoSuchFile)
      await sweepLater()
      await isGone(ofFlow.id)
      await isGone(ofRun.id)
    })

    it('deletes the files of samples that newer ones push out', async () => {
      const flow = await makeFlow()
      const files = [await add(), await add()]
      for (const file of files)
        await world.samples.add(
          { id: ids.next('smp'), flowId: flow, receivedAt: fileClock.time, webhook: webhook({}) },
          1,
          [file.id],
        )
      await sweepLater()
      await isGone(files[0]!.id)
      expect(await read(world.files, files[1]!.id, null)).toHaveLength(100_000)
    })

    it('lets a stored run use what was added later, and nothing else', async () => {
      const run = runOf(await makeFlow(), [])
      await world.runs.accept(run)
      const { id } = await add()
      await world.files.use(run.id, [id])
      await world.files.use(run.id, [id])
      await sweepLater()
      expect(await read(world.files, id, run.id)).toHaveLength(100_000)
      await expect(world.files.use(run.id, ['blob_unknown'])).rejects.toThrow(NoSuchFile)
      await expect(world.files.use(ids.next('run'), [id])).rejects.toThrow(NoSuchFile)
    })

    it('keeps what this process has added until it is used, and deletes what a process left that is gone', async () => {
      const { id } = await add()
      for (let minutes = 0; minutes < 15; minutes++) {
        fileClock.time += 60_000
        await world.files.sweep()
      }
      expect(await world.kept()).toContain(id)
      const { promise: arrived, resolve: reached } = Promise.withResolvers<void>()
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const stalled = (async function* () {
        yield Buffer.alloc(500_000)
        reached()
        await ended
      })()
      const kept = await world.kept()
      const late = world.files.add(stalled, MAX)
      await arrived
      await sweepLater()
      await isGone(id)
      end()
      await expect(late).rejects.toThrow()
      expect((await world.kept()).filter((each) => !kept.includes(each))).toEqual([])
    })

    it('deletes no bytes while a backup is made', async () => {
      const { id } = await add()
      await world.files.keeping(async () => {
        await world.files.discard([id])
        expect(await world.kept()).toContain(id)
        await world.files.sweep()
        expect(await world.kept()).toContain(id)
      })
      await world.files.sweep()
      await isGone(id)
    })

    it('bounds what nobody has verified', async () => {
      const { id } = await world.files.add(of(Buffer.alloc(1_000)), { ...MAX, unverified: true })
      const lying = { length: UNVERIFIED_BYTES } as Uint8Array
      const over = world.files.add(of(lying), { maxBytes: UNVERIFIED_BYTES * 2, unverified: true })
      await expect(over).rejects.toThrow(NoRoomForFiles)
      await world.files.discard([id])
    })

    it('reseals the keys of files, and says which file was changed', async () => {
      const { id } = await add()
      const counts = await world.sealedRows.count()
      const [keyId] = [...counts.keys()]
      const seen: string[] = []
      await world.sealedRows.resealSome('file', keyId!, null, (sealed, binding) => {
        seen.push(binding)
        return sealed
      })
      expect(seen).toContain(`file:${id}`)
      await world.damage(id)
      await world.files.use(await makeFlow(), [id])
      const damaged = read(world.files, id, null)
      await expect(damaged).rejects.toThrow(DamagedFile)
      await expect(damaged).rejects.toThrow(id)
    })

    it('counts what is stored', async () => {
      const before = await world.files.facts()
      const { id } = await add(randomBytes(777))
      const { files, bytes } = await world.files.facts()
      expect({ files, bytes }).toEqual({ files: before.files + 1, bytes: before.bytes + 777 })
      await world.files.discard([id])
      expect(await world.files.facts()).toMatchObject({ files: before.files, bytes: before.bytes })
      expect(await world.files.fault()).toBeNull()
    })
  })
}
