// The files that the steps of a run read and make. A run opens only what it uses: what a sender made up opens nothing.
import { CODE, type FileErrorCode, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { type FileStore, type FileValue, NoSuchFile, type OpenFile, type StoredFile } from '../ports/files.ts'
import type { BodySource } from '../ports/http-client.ts'
import { isFileId, isFileValue } from './file-value.ts'

/** Says why a step cannot use a file. Message and hint are for the user. */
export class FileError extends Error {
  readonly code: FileErrorCode
  readonly hint: string
  constructor(code: FileErrorCode, message: string) {
    super(message)
    this.code = code
    this.hint = STEP_ERRORS[code].hint
  }
}

/** A file that can be sent as often as needed. */
export interface SendableFile extends BodySource {
  value: FileValue
}

export interface RunFiles {
  maxBytes: number
  /** Rejects with FileError if the value is no file, or none of this run. */
  open(value: unknown): Promise<SendableFile>
  add(bytes: AsyncIterable<Uint8Array>): Promise<StoredFile>
  /** Lets the run use what was added. */
  use(ids: readonly string[]): Promise<void>
  discard(ids: readonly string[]): Promise<void>
  /** Returns those of the files that a value names which the run can open. */
  namedBy(value: unknown): Promise<string[]>
}

/** `owners`: whose files may be opened; the first of them uses what is added. */
export function runFiles(
  { files, maxFileBytes }: { files: FileStore; maxFileBytes: number },
  owners: readonly [string, ...string[]],
): RunFiles {
  return {
    maxBytes: maxFileBytes,
    async open(given) {
      const value = fileIn(given)
      const first = await openOf(files, value, owners)
      let unread: OpenFile | null = first
      return {
        value: { ...value, size: first.size, sha256: first.sha256 },
        size: first.size,
        async *open() {
          const opened = unread ?? (await openOf(files, value, owners))
          unread = null
          yield* opened.bytes
        },
      }
    },
    add: (bytes) => files.add(bytes, { maxBytes: maxFileBytes }),
    use: (ids) => files.use(owners[0], ids),
    discard: (ids) => files.discard(ids),
    async namedBy(value) {
      const ids = fileIdsIn(value)
      const found = new Set<string>()
      if (ids.length) for (const owner of owners) for (const id of await files.usedBy(owner, ids)) found.add(id)
      return [...found]
    },
  }
}

function fileIn(given: unknown): FileValue {
  if (isFileValue(given))
    return {
      file: given.file,
      name: typeof given.name === 'string' ? given.name : null,
      contentType: typeof given.contentType === 'string' ? given.contentType : '',
      size: 0,
      sha256: '',
    }
  throw new FileError(
    CODE.file_not_found,
    Array.isArray(given) && given.some(isFileValue)
      ? 'This is a list of files; choose one of them, the first with [0]'
      : 'What is given as a file is none',
  )
}

async function openOf(files: FileStore, { file, name }: FileValue, owners: readonly string[]): Promise<OpenFile> {
  for (const owner of owners)
    try {
      return await files.open(file, owner)
    } catch (error) {
      if (!(error instanceof NoSuchFile)) throw error
    }
  throw new FileError(CODE.file_not_found, filled(STEP_ERRORS.file_not_found.message, { file: name ?? file }))
}

const MARK = '"blob_'

/** Returns the ids of files that a value names, each once. */
function fileIdsIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? ''
  if (!text.includes(MARK)) return []
  const found = new Set<string>()
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + 1)) {
    const id = text.slice(at + 1, text.indexOf('"', at + 1))
    if (isFileId(id)) found.add(id)
  }
  return [...found]
}
