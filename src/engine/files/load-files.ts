// Loads the files that the expressions of a step read: base64(file) and text(file).
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import type { Bindings } from '../../flow/expression/values/bindings.ts'
import { type LoadedFile, NeedsFile } from '../../flow/expression/values/needs-file.ts'
import { charsetOfBody } from '../../flow/formats/charsets.ts'
import type { RoomOfRun } from '../ports/http-client.ts'
import { FileError, type RunFiles } from './run-files.ts'

export const LARGEST_READ = 10 * 1024 ** 2
/** Of all files of one step. */
const MOST_READ = 2 * LARGEST_READ

/** Evaluates, and each time that a file is missing loads it and evaluates again. The room is given back afterwards. */
export async function withFiles<T>(
  bindings: Bindings,
  first: NeedsFile,
  evaluate: () => T,
  files: RunFiles,
  room: RoomOfRun | null,
): Promise<T> {
  const loaded = new Map<string, LoadedFile>()
  bindings.files = loaded
  let held = 0
  try {
    for (let need = first; ; ) {
      const file = await files.open(need.value)
      const { value, size } = file
      if (size > LARGEST_READ || held + size > MOST_READ)
        throw new FileError(
          CODE.file_too_large,
          filled(STEP_ERRORS.file_too_large.message, { file: value.name ?? value.file, most: '10 MiB' }),
        )
      const granted = room?.grow(size) ?? true
      held += size
      if (granted !== true) await granted
      loaded.set(value.file, await load(file.open(), value.contentType))
      try {
        return evaluate()
      } catch (error) {
        if (!(error instanceof NeedsFile) || loaded.has(error.value.file)) throw error
        need = error
      }
    }
  } finally {
    bindings.files = null
    room?.shrink(held)
  }
}

async function load(bytes: AsyncIterable<Uint8Array>, contentType: string): Promise<LoadedFile> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  return {
    size: whole.length,
    base64: () => whole.toString('base64'),
    text: () => new TextDecoder(charsetOfBody(whole, contentType, contentType.includes('xml'))).decode(whole),
  }
}
