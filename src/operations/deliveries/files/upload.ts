// A delivery whose files are in the store, and what is left of its body without them.
import type { FileValue } from '../../../engine/ports/files.ts'
import { collectPairs, filesIn, lastValues, type WebhookData } from '../../../engine/webhook-data.ts'
import { formEncoded } from '../../../flow/form-pairs.ts'
import { isFileType } from '../../../flow/formats/file-types.ts'
import type { CompiledWebhook } from '../../../flow/triggers/webhook/compile.ts'
import { type Admission, queryOf } from '../delivery-head.ts'

/** What was sent: the fields and files of a form, or a body that is a file itself. */
export interface Uploaded {
  fields: readonly (readonly [name: string, value: string])[]
  files: readonly { field: string; value: FileValue }[]
  file: FileValue | null
  /** The size of the whole body. */
  bytes: number
}

export class Upload {
  readonly uploaded: Uploaded
  /** The trigger by whose settings the body was checked. */
  readonly trigger: CompiledWebhook
  /** The body, where its signature can only be checked with all of it; null: it was checked while it came. */
  readonly whole: Buffer | null
  /** Whether a run or a sample uses the files, or may do so. */
  used = false

  constructor(uploaded: Uploaded, trigger: CompiledWebhook, whole: Buffer | null) {
    this.uploaded = uploaded
    this.trigger = trigger
    this.whole = whole
  }

  /** The size of what is in memory. */
  get textBytes(): number {
    return this.uploaded.fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  }

  get ids(): string[] {
    const { files, file } = this.uploaded
    return filesIn({ files: byField(files), ...(file && { file }) })
  }
}

/** Returns the files by their field: a list where a field has several. */
function byField(files: Uploaded['files']): Record<string, FileValue | FileValue[]> {
  const all: Record<string, FileValue | FileValue[]> = Object.create(null)
  for (const { field, value } of files) {
    const before = all[field]
    all[field] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return all
}

/** Returns what the flow reads. The checks have masked credentials in the head. */
export function uploadedContent({ head }: Pick<Admission, 'head'>, { uploaded }: Upload): WebhookData {
  const { fields, files, file, bytes } = uploaded
  const pairs = fields.map(([name, value]): [string, string] => [name, value])
  return {
    body: file ? null : lastValues(collectPairs(pairs)),
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody: file ? '' : formEncoded(pairs),
    metadata: { ...head.metadata, contentLength: bytes },
    ...(file ? { file } : { files: byField(files) }),
  }
}

/** Returns whether a request of this type brings files. */
export const isUpload = ({ takesFiles }: { takesFiles?: boolean }, type: string): boolean =>
  takesFiles === true && isFileType(type)
