// Answers a caller with the bytes of a file, as they are read.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { defaultErrorReply } from '../../../engine/caller-reply.ts'
import { UNKNOWN_TYPE } from '../../../engine/files/file-value.ts'
import { type FileValue, NoSuchFile, type OpenFile } from '../../../engine/ports/files.ts'
import type { CallerReply } from '../../../engine/step-kind.ts'
import type { Services } from '../../../operations/services.ts'
import { answerCaller, headersOf, replyHead } from '../caller-answer.ts'
import { PlainReply } from '../plain/plain-reply.ts'

export async function answerWithFile(
  { files }: Pick<Services, 'files'>,
  response: ServerResponse | PlainReply,
  requestId: string,
  { status, headers, file }: CallerReply & Required<Pick<CallerReply, 'file'>>,
): Promise<void> {
  let opened: OpenFile
  try {
    opened = await files.open(file.value.file, file.run)
  } catch (error) {
    if (!(error instanceof NoSuchFile)) throw error
    // The run was deleted before its reply was sent.
    return answerCaller(
      response,
      requestId,
      defaultErrorReply(file.run, 'The file of the reply is not there any more.'),
    )
  }
  const { contentType, others } = headersOf(headers)
  others.push('content-type', contentType ?? (file.value.contentType || UNKNOWN_TYPE))
  if (!headers.some(({ name }) => name.toLowerCase() === 'content-disposition'))
    others.push('content-disposition', attachment(file.value))
  others.push('content-length', String(opened.size))
  response.writeHead(status, replyHead(requestId, others))
  const bytes = Readable.from(opened.bytes)
  if (response instanceof PlainReply) return response.stream(bytes)
  // The caller may leave before the end: then nobody is to be told.
  await pipeline(bytes, response).catch(() => response.destroy())
}

/** RFC 6266: a plain name for old clients, and the whole one. */
function attachment({ name }: FileValue): string {
  if (name === null) return 'attachment'
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
