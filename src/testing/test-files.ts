// The files of a delivery in a test: read from the disk, and stored as those that a sender sends.
import { CODE } from '../base/error-catalogue.ts'
import { fileName, UNKNOWN_TYPE } from '../engine/files/file-value.ts'
import type { FileStore, FileValue } from '../engine/ports/files.ts'
import type { FixtureDelivery } from '../flow/fixture.ts'
import { MULTIPART } from '../flow/formats/file-types.ts'
import type { Admission } from '../operations/deliveries/delivery-head.ts'
import { signsBody } from '../operations/deliveries/files/streamed-check.ts'
import { Upload } from '../operations/deliveries/files/upload.ts'
import { Rejection } from '../operations/deliveries/rejection.ts'

/** Opens a file of a test by its path, which is relative to the test. */
export type OpenTestFile = (path: string) => AsyncIterable<Uint8Array>

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

const typeOf = (path: string): string => TYPES[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? UNKNOWN_TYPE

/** Returns the content type of a delivery with files; null if it has none. */
export function uploadType({ files, file }: FixtureDelivery): string | null {
  if (files !== undefined) return `${MULTIPART}; boundary=test`
  return file === undefined ? null : typeOf(file)
}

export async function testUpload(
  services: { files: FileStore; maxFileBytes: number },
  { trigger }: Admission,
  { files = {}, file, body }: FixtureDelivery,
  open: OpenTestFile,
): Promise<Upload> {
  if (signsBody(trigger.auth))
    throw new Rejection(
      CODE.unauthorized,
      'Authentication failed: a delivery with files is not signed in a test; set authenticated: true.',
    )
  const add = async (path: string): Promise<FileValue> => {
    const { id, size, sha256 } = await services.files.add(open(path), { maxBytes: services.maxFileBytes })
    return { file: id, name: fileName(path), contentType: typeOf(path), size, sha256 }
  }
  const stored: { field: string; value: FileValue }[] = []
  for (const [field, paths] of Object.entries(files))
    for (const path of [paths].flat()) stored.push({ field, value: await add(path) })
  const fields = Object.entries((body ?? {}) as Record<string, unknown>).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const alone = file === undefined ? null : await add(file)
  const bytes = [...stored.map(({ value }) => value.size), alone?.size ?? 0].reduce((sum, size) => sum + size, 0)
  return new Upload({ fields, files: stored, file: alone, bytes }, trigger, null)
}
