// Compresses the API's JSON for clients that accept it. Event streams and webhook replies do not pass this way, and what has an
// encoding already keeps it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingFor, compress, WORTH_COMPRESSING } from './content-coding.ts'

/** Higher ones take many times as long for a few percent. */
const QUALITY = 4

type Done = (error: Error | null, payload?: unknown) => void

/** Passes on at once what is not compressed: Node may close the socket of a faulty request before a later turn. */
export function compressReply(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const coding = codingOf(request, reply, payload)
  if (!coding) {
    done(null, payload)
    return
  }
  compress(payload as string, coding, QUALITY).then((compressed) => {
    void reply.header('content-encoding', coding).removeHeader('content-length')
    done(null, compressed)
  }, done)
}

function codingOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): Coding | null {
  if (typeof payload !== 'string' || payload.length < WORTH_COMPRESSING) return null
  if (!isJson(reply) || reply.hasHeader('content-encoding') || isFile(reply)) return null
  void reply.header('vary', 'accept-encoding')
  return request.method === 'HEAD' ? null : codingFor(request.headers['accept-encoding'])
}

const isJson = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('application/json')

/** The length of a file tells those who fetch it whether they want it. */
const isFile = (reply: FastifyReply): boolean => reply.hasHeader('content-disposition')
