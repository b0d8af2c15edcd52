// Compresses the API's JSON for clients that accept it. Event streams and webhook replies do not pass this way, and what has an
// encoding already keeps it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { codingFor, compress, WORTH_COMPRESSING } from './content-coding.ts'

/** Higher ones take many times as long for a few percent. */
const QUALITY = 4

export async function compressReply(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < WORTH_COMPRESSING) return payload
  if (!isJson(reply) || reply.hasHeader('content-encoding') || isFile(reply)) return payload
  void reply.header('vary', 'accept-encoding')
  const coding = request.method === 'HEAD' ? null : codingFor(request.headers['accept-encoding'])
  if (!coding) return payload
  const compressed = await compress(payload, coding, QUALITY)
  void reply.header('content-encoding', coding).removeHeader('content-length')
  return compressed
}

const isJson = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('application/json')

/** The length of a file tells those who fetch it whether they want it. */
const isFile = (reply: FastifyReply): boolean => reply.hasHeader('content-disposition')
