// The files that a request sends, opened before it is built: so that their sizes are known, and none is missing.
import { isFileValue } from '../../engine/files/file-value.ts'
import type { RunFiles, SendableFile } from '../../engine/files/run-files.ts'
import type { HttpSettings } from './settings.ts'

export class OpenFiles {
  readonly #byId: ReadonlyMap<string, SendableFile>

  constructor(byId: ReadonlyMap<string, SendableFile>) {
    this.#byId = byId
  }

  /** Returns the files of a setting: of a list all of them. One that is hidden, where settings are only shown, is left out. */
  of(given: unknown): SendableFile[] {
    return [given].flat().flatMap((value) => (isFileValue(value) ? (this.#byId.get(value.file) ?? []) : []))
  }

  shown(given: unknown): unknown {
    const files = this.of(given).map(({ value }) => value)
    return files.length === 0 ? given : Array.isArray(given) ? files : files[0]
  }
}

const NO_FILES = new OpenFiles(new Map())

/** Rejects with FileError if one of them is not there. */
export async function openFiles(files: RunFiles, { body }: HttpSettings): Promise<OpenFiles> {
  const given =
    body?.kind === 'file'
      ? [body.value]
      : body?.kind === 'form' && body.multipart
        ? body.fields.flatMap(({ file }) => (file === undefined ? [] : Array.isArray(file) ? file : [file]))
        : []
  if (given.length === 0) return NO_FILES
  const opened = new Map<string, SendableFile>()
  for (const value of given) {
    const file = await files.open(value)
    opened.set(file.value.file, file)
  }
  return new OpenFiles(opened)
}
