import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../../base/error-catalogue.ts'
import { FileQuery } from '../../../contract/run-bodies.ts'
import { openFile } from '../../../operations/runs/open-file.ts'
import type { Services } from '../../../operations/services.ts'
import { refuse } from '../../refuse.ts'
import { bytesAs } from '../sent-as.ts'
import { byteRange } from './byte-range.ts'

const Id = Type.Object({ id: Type.String() })

export function fileRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Params: Static<typeof Id>; Querystring: Static<typeof FileQuery> }>(
    '/api/v1/files/:id',
    {
      schema: {
        tags: ['runs'],
        summary: 'Download a file that a run or a sample holds, or a part of it',
        params: Id,
        querystring: FileQuery,
        response: {
          200: bytesAs('application/octet-stream', 'The file'),
          206: bytesAs('application/octet-stream', 'The part that the header range asks for'),
        },
      },
    },
    async ({ params: { id }, query: { name }, headers, method }, reply) => {
      const { size, sha256, bytes: whole } = await openFile(services, id)
      const etag = `"${sha256}"`
      const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
      const range = isSame ? byteRange(headers.range, size) : null
      if (range === 'none') {
        void reply.header('content-range', `bytes */${size}`)
        return refuse(reply, CODE.range_not_satisfiable, `The file has ${size} bytes, and no such part.`)
      }
      void reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; ${fileName(name ?? id)}`)
        // Whatever it is, a browser must not take it for a page of this site.
        .header('content-security-policy', 'sandbox')
        .header('cache-control', 'private, no-cache')
        .header('etag', etag)
        .header('accept-ranges', 'bytes')
      if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${size}`)
      else if (headers['if-none-match'] === etag) return reply.code(304).send()
      void reply.header('content-length', range ? range.end - range.start : size)
      if (method === 'HEAD') return reply.send(Readable.from([]))
      const { bytes } = range ? await openFile(services, id, range) : { bytes: whole }
      // An error after the first byte breaks the connection: the client must not take a part for the whole.
      return reply.send(Readable.from(bytes, { objectMode: false }))
    },
  )
}

/** Returns the name as a parameter of the header (RFC 6266), in plain characters and, encoded, as it is. */
function fileName(name: string): string {
  const plain = name.replaceAll(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${encoded}`
}
