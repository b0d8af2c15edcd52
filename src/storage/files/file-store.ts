// The store of files: rows in the database, encrypted bytes in a place. What is on its way is counted, and given a sign of life.
import { createHash } from 'node:crypto'
import {
  DamagedFile,
  type FileStore,
  FileTooLarge,
  NoRoomForFiles,
  NoSuchFile,
  type OpenFile,
  type StoredFile,
} from '../../engine/ports/files.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { FileKeeping } from '../../operations/ports/upkeep.ts'
import { fileBinding } from '../rows/bindings.ts'
import type { FileTable } from '../rows/files/tables.ts'
import { type FileRows, type Finished, GRACE_MS } from './file-rows.ts'
import { BadFrame, openFrames, sealedRange, sealFrames } from './frames.ts'
import type { FilePlace } from './place.ts'

/** What all uploads together may take that nobody has verified. */
export const UNVERIFIED_BYTES = 1024 ** 3
/** What was added and neither used nor given back for so long is forgotten by its process. */
const HOLD_MS = 3_600_000
const BATCH = 100

interface Held {
  at: number
  since: number
  /** How many have added it. */
  count: number
  unverified: number
}

export interface FileParts {
  rows: FileRows
  /** Where new files go. */
  place: FilePlace
  /** Where files are that were stored under other settings. */
  others: readonly FilePlace[]
  seal(text: string, binding: string): string
  unseal(sealed: string, binding: string): string | null
  newId(): string
  newKey(): Uint8Array
  now(): number
  /** Whether other processes add files too. If not, whatever is older than this process is left of one that is gone. */
  shared: boolean
}

export function createFileStore(parts: FileParts): FileStore & FileKeeping {
  const { rows, place } = parts
  const startedAt = parts.shared ? 0 : parts.now()
  // A clock that is set back must not make what this process adds older than the process.
  const now = () => Math.max(parts.now(), startedAt)
  const places = new Map([...parts.others, place].map((each) => [each.name as string, each]))
  /** The files that are on their way, and those that were added and that nobody is known to use. */
  const incoming = new Set<string>()
  const held = new Map<string, Held>()
  let unverifiedBytes = 0
  let swept = 0
  let keepers = 0
  let sweeping: Promise<unknown> = Promise.resolve()

  const placeOf = ({ place: name }: Pick<FileTable, 'place'>): FilePlace => {
    const found = places.get(name)
    if (!found) throw new StorageUnavailable('The file is in a bucket that MILLRACE_FILES_URL does not name any more.')
    return found
  }

  /** Deletes the bytes of a file that is marked, then its row; not while a backup copies files. */
  const erase = async (file: Pick<FileTable, 'id' | 'place'>): Promise<boolean> => {
    if (keepers > 0) return false
    await placeOf(file).remove(file.id)
    await rows.gone(file.id)
    return true
  }

  const hold = ({ id, at }: Finished, unverified: number): void => {
    const before = held.get(id)
    unverifiedBytes += unverified
    held.set(id, {
      at,
      since: now(),
      count: (before?.count ?? 0) + 1,
      unverified: (before?.unverified ?? 0) + unverified,
    })
  }

  const release = (ids: readonly string[]): void => {
    for (const id of ids) {
      unverifiedBytes -= held.get(id)?.unverified ?? 0
      held.delete(id)
    }
  }

  const giveSignOfLife = async (): Promise<void> => {
    const at = now()
    const added = [...held.keys()]
    if (added.length) release(await rows.used(added))
    release([...held].filter(([, { since }]) => since < at - HOLD_MS).map(([id]) => id))
    const alive = [...incoming, ...held.keys()]
    if (alive.length === 0) return
    await rows.touch(alive, at)
    for (const file of held.values()) file.at = at
  }

  const sweepSome = async (): Promise<number> => {
    await giveSignOfLife()
    const before = Math.max(now() - GRACE_MS, startedAt)
    await rows.markDead(before, BATCH)
    const looked = await rows.look(Math.max(now(), startedAt + GRACE_MS - 1), before, BATCH)
    let erased = 0
    for (const file of await rows.deleting([...places.keys()], BATCH)) if (await erase(file)) erased++
    swept += erased
    return Math.max(looked, erased)
  }

  const bytesOf = async function* (file: FileTable, start: number, end: number): AsyncGenerator<Uint8Array> {
    const damaged = (why: string) => new DamagedFile(`The file ${file.id} cannot be read: ${why}.`)
    const key = parts.unseal(file.sealed_key, fileBinding(file.id))
    if (key === null) throw damaged('its key cannot be opened')
    const sealed = placeOf(file).get(file.id, sealedRange(file.size!, { start, end }))
    try {
      yield* openFrames(sealed, Buffer.from(key, 'base64'), file.size!, { start, end })
    } catch (error) {
      if (error instanceof BadFrame) throw damaged(error.message)
      if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') throw damaged('its bytes are missing')
      throw error
    }
  }

  return {
    async add(bytes, { maxBytes, unverified = false }) {
      if (unverified && unverifiedBytes >= UNVERIFIED_BYTES) throw noRoom()
      const id = parts.newId()
      const key = parts.newKey()
      const sealed_key = parts.seal(Buffer.from(key).toString('base64'), fileBinding(id))
      const tally = { size: 0, hash: createHash('sha256') }
      const counted = async function* () {
        for await (const chunk of bytes) {
          if (tally.size + chunk.length > maxBytes) throw new FileTooLarge(`A file has more than ${maxBytes} bytes.`)
          tally.size += chunk.length
          if (unverified) {
            unverifiedBytes += chunk.length
            if (unverifiedBytes > UNVERIFIED_BYTES) throw noRoom()
          }
          tally.hash.update(chunk)
          yield chunk
        }
      }
      incoming.add(id)
      let stored: Finished | null = null
      try {
        await rows.begin({ id, place: place.name, sealed_key, at: now() })
        await place.put(id, sealFrames(counted(), key))
        const added = { id, sha256: tally.hash.digest('hex'), size: tally.size, at: now() }
        stored = await rows.finish(added)
        if (!stored) throw new StorageUnavailable('The file took too long to arrive.')
        hold(stored, unverified ? stored.size : 0)
        const { sha256, size } = stored
        return { id: stored.id, sha256, size } satisfies StoredFile
      } finally {
        incoming.delete(id)
        if (unverified) unverifiedBytes -= tally.size
        // What cannot be deleted now, the next sweep deletes.
        if (stored?.id !== id) await drop(id).catch(() => {})
      }
    },

    async discard(ids) {
      const given = ids.flatMap((id) => {
        const file = held.get(id)
        if (!file) return []
        file.count--
        if (file.count > 0) return []
        release([id])
        return { id, at: file.at }
      })
      if (given.length === 0) return
      try {
        for (const file of await rows.discard(given)) await erase(file)
      } catch {
        // The next sweep deletes what nobody uses.
      }
    },

    async use(owner, ids) {
      await rows.use(owner, ids)
      release(ids)
    },

    used: release,

    usedBy: rows.usedBy,

    async open(id, owner, range): Promise<OpenFile> {
      const file = await rows.find(id, owner)
      if (!file) throw new NoSuchFile('There is no such file.')
      placeOf(file)
      const size = file.size!
      const start = Math.min(range?.start ?? 0, size)
      const end = Math.max(start, Math.min(range?.end ?? size, size))
      return { size, sha256: file.sha256!, bytes: bytesOf(file, start, end) }
    },

    sweep() {
      const looked = sweeping.then(sweepSome)
      sweeping = looked.catch(() => {})
      return looked
    },

    async keeping(work) {
      // A file is marked before its bytes go: those that go now are marked in a copy of the database that is made from now on.
      keepers++
      try {
        return await work()
      } finally {
        keepers--
      }
    },

    async facts() {
      return { ...(await rows.total()), incoming: incoming.size, swept, place: place.name }
    },

    fault: () => place.fault(),
  }

  async function drop(id: string): Promise<void> {
    await rows.giveUp(id)
    await erase({ id, place: place.name })
  }
}

const noRoom = () =>
  new NoRoomForFiles('Uploads that are not verified yet take all the room that there is for them. Try again later.')
