// Receives the body of a delivery that brings files: its bytes go to the store as they come, and are never in memory as a whole.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CODE } from '../../../base/error-catalogue.ts'
import { dispositionName, fileName, fileType } from '../../../engine/files/file-value.ts'
import { FileTooLarge, type FileValue, NoRoomForFiles, type StoredFile } from '../../../engine/ports/files.ts'
import { mediaType } from '../../../engine/webhook-data.ts'
import { MULTIPART } from '../../../flow/formats/file-types.ts'
import type { BodyHold } from '../../../operations/deliveries/body-budget.ts'
import { mostBytes } from '../../../operations/deliveries/check-sender.ts'
import type { Admission } from '../../../operations/deliveries/delivery-head.ts'
import { endChecks, streamedChecks } from '../../../operations/deliveries/files/streamed-check.ts'
import { Upload, type Uploaded } from '../../../operations/deliveries/files/upload.ts'
import { noRoom, Rejection, tooLarge } from '../../../operations/deliveries/rejection.ts'
import type { BodyCheck } from '../../../operations/deliveries/signature/verify-signature.ts'
import type { Services } from '../../../operations/services.ts'
import { readBody, sayContinue } from '../request.ts'
import { openBody } from './body-stream.ts'
import { readMultipart } from './read-multipart.ts'

const SLICE = 65_536
const RETRY_SECONDS = 30

interface Request {
  request: IncomingMessage
  response: ServerResponse
  hold: BodyHold | null
}

/** Throws Rejection. Nothing that it stored stays then. */
export async function receiveFiles(services: Services, visit: Request, admission: Admission): Promise<Upload> {
  const { request, response, hold } = visit
  const { head, trigger } = admission
  const checks = streamedChecks(services, admission)
  if (checks === null) {
    const whole = await readBody(request, response, head, services.maxBodyBytes, hold)
    const uploaded = await storeBody(services, admission, slices(whole), hold, true)
    return new Upload({ ...uploaded, bytes: whole.length }, trigger, whole)
  }
  const most = mostBytes(services, trigger, mediaType(head.metadata.contentType))
  const body = openBody(request, head.headers['content-encoding'], most)
  try {
    sayContinue(request, response)
    const uploaded = await storeBody(services, admission, checked(body.bytes, checks), hold, checks.length > 0)
    try {
      endChecks(checks)
    } catch (refusal) {
      await services.files.discard(new Upload({ ...uploaded, bytes: 0 }, trigger, null).ids)
      throw refusal
    }
    return new Upload({ ...uploaded, bytes: body.size() }, trigger, null)
  } finally {
    body.end()
  }
}

async function storeBody(
  services: Services,
  { head }: Admission,
  bytes: AsyncIterable<Uint8Array>,
  hold: BodyHold | null,
  unverified: boolean,
): Promise<Omit<Uploaded, 'bytes'>> {
  const { contentType } = head.metadata
  const stored: string[] = []
  const add = async (source: AsyncIterable<Uint8Array>): Promise<StoredFile> => {
    const file = await services.files.add(source, { maxBytes: services.maxFileBytes, unverified })
    stored.push(file.id)
    return file
  }
  try {
    if (mediaType(contentType) !== MULTIPART) {
      const file = await add(bytes)
      const name = dispositionName(head.headers['content-disposition'])
      return { fields: [], files: [], file: asValue(file, name, contentType) }
    }
    const { fields, files } = await readMultipart(bytes, {
      contentType: contentType!,
      mostTextBytes: services.maxBodyBytes,
      holdText(size) {
        if (hold && !hold.reach(size)) throw noRoom()
      },
      async takeFile({ field, name, contentType: type, bytes: source }) {
        const file = await add(source)
        return { field, value: asValue(file, fileName(name), type) }
      },
    })
    // A field for a file that nobody chose comes without a name and without bytes.
    const chosen = files.filter(({ value }) => value.size > 0 || value.name !== null)
    return { fields: fields.map(checkedText), files: chosen, file: null }
  } catch (error) {
    await services.files.discard(stored)
    throw refusalOf(error, services.maxFileBytes)
  }
}

const asValue = ({ id, size, sha256 }: StoredFile, name: string | null, type: string | null): FileValue => ({
  file: id,
  name,
  contentType: fileType(type),
  size,
  sha256,
})

function checkedText(field: [name: string, value: string]): [string, string] {
  if (field.some((text) => text.includes('\0')))
    throw new Rejection(CODE.bad_request, 'A field of the form contains a NUL character.')
  return field
}

function refusalOf(error: unknown, maxFileBytes: number): unknown {
  if (error instanceof FileTooLarge) return tooLarge(maxFileBytes, 'A file')
  if (error instanceof NoRoomForFiles)
    return new Rejection(
      CODE.overloaded,
      'Too many files of senders that are not known yet come in at once; try again shortly.',
      RETRY_SECONDS,
    )
  return error
}

async function* checked(bytes: AsyncIterable<Uint8Array>, checks: readonly BodyCheck[]): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    for (const check of checks) check.update(chunk)
    yield chunk
  }
}

/** Lets other events of the loop in between. */
async function* slices(whole: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < whole.length; at += SLICE) {
    yield whole.subarray(at, at + SLICE)
    await nextTurn()
  }
}
