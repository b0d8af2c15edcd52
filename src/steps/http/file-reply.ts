// Reads a reply into the store of files, in place of memory.
import { dispositionName, fileName, fileType } from '../../engine/files/file-value.ts'
import type { RunFiles } from '../../engine/files/run-files.ts'
import type { FileValue, StoredFile } from '../../engine/ports/files.ts'
import type { OutboundReply, ReplySink } from '../../engine/ports/http-client.ts'

export class FileReply {
  readonly sink: ReplySink
  readonly #files: RunFiles
  #adding: Promise<StoredFile> | null = null
  #fault: unknown = null

  constructor(files: RunFiles) {
    this.#files = files
    this.sink = {
      maxBytes: files.maxBytes,
      take: async (bytes) => {
        this.#adding = files.add(watched(bytes, (error) => (this.#fault = error)))
        await this.#adding
      },
    }
  }

  /** Returns the file that the run uses from now on; null if the reply was an error, whose text is in memory. */
  async kept({ headers, url }: OutboundReply): Promise<FileValue | null> {
    if (!this.#adding) return null
    const { id, size, sha256 } = await this.#adding
    await this.#files.use([id])
    const name = dispositionName(headers['content-disposition']) ?? lastSegment(url)
    return { file: id, name, contentType: fileType(headers['content-type']), size, sha256 }
  }

  /** Removes what was stored of a reply that failed. Throws if it failed because it could not be stored. */
  async giveUp(): Promise<void> {
    if (!this.#adding) return
    try {
      const { id } = await this.#adding
      await this.#files.discard([id])
    } catch (error) {
      // The reply itself was cut off: the client has said why.
      if (this.#fault === null || error !== this.#fault) throw error
    }
  }
}

async function* watched(bytes: AsyncIterable<Uint8Array>, failed: (error: unknown) => void): AsyncIterable<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    failed(error)
    throw error
  }
}

function lastSegment(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? ''
  const segment = path.slice(path.lastIndexOf('/') + 1)
  try {
    return fileName(decodeURIComponent(segment))
  } catch {
    return fileName(segment)
  }
}
