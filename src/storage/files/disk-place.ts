// Keeps files in the folder `files` of the data folder, in a thousand folders on two levels.
import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncToDisk } from '../../base/data-folder.ts'
import { FRAME_BYTES } from './frames.ts'
import { explainedDisk, type FilePlace } from './place.ts'

export const FILES_FOLDER = 'files'

/** The random characters of an id that name its folders. */
const FOLDERS_AT = -6

/** Returns where a file is, in a folder of files. */
export const diskPath = (id: string): string => join(id.at(FOLDERS_AT)!, id.at(FOLDERS_AT + 1)!, id)

export function createDiskPlace(dataFolder: string): FilePlace {
  const root = join(dataFolder, FILES_FOLDER)
  const pathOf = (id: string) => join(root, diskPath(id))
  /** The folders whose own names are durable. */
  const known = new Set<string>()

  const makeFolder = async (folder: string): Promise<void> => {
    if (known.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const inside of [dirname(folder), root, dataFolder]) await syncToDisk(inside)
    known.add(folder)
  }

  return {
    name: 'disk',

    async put(id, frames) {
      const path = pathOf(id)
      try {
        await makeFolder(dirname(path))
        const handle = await open(path, 'wx', 0o600)
        try {
          for await (const frame of frames) await handle.writeFile(frame)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await syncToDisk(dirname(path))
      } catch (error) {
        throw explainedDisk(error)
      }
    },

    async *get(id, { start, end }) {
      const handle = await open(pathOf(id), 'r')
      try {
        for (let at = start; at < end; ) {
          const buffer = Buffer.allocUnsafe(Math.min(FRAME_BYTES, end - at))
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
          if (bytesRead === 0) return
          at += bytesRead
          yield buffer.subarray(0, bytesRead)
        }
      } finally {
        await handle.close()
      }
    },

    async remove(id) {
      await rm(pathOf(id), { force: true })
    },

    async fault() {
      const trial = join(root, `.trial-${process.pid}`)
      try {
        await mkdir(root, { recursive: true, mode: 0o700 })
        await (await open(trial, 'w', 0o600)).close()
        return null
      } catch (error) {
        return (error as Error).message
      } finally {
        await rm(trial, { force: true }).catch(() => {})
      }
    },
  }
}
