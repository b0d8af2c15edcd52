import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { tarLength, writeTar } from '../../base/archive/tar.ts'
import { DATABASE_FILE } from '../../base/data-folder.ts'
import type { Services } from '../../operations/services.ts'
import { makeBackup } from '../../operations/upkeep/make-backup.ts'
import { bytesAs } from './sent-as.ts'

export function backupRoutes(app: FastifyInstance, services: Services): void {
  app.post(
    '/api/v1/backup',
    {
      schema: {
        tags: ['system'],
        summary: 'A copy of the embedded database and the files beside it, without the key that seals secrets',
        response: {
          200: {
            description: 'The database as one file, or with files a tar archive of it and them',
            content: {
              ...bytesAs('application/vnd.sqlite3', '').content,
              ...bytesAs('application/x-tar', '').content,
            },
          },
        },
      },
    },
    async ({ actor }, reply) => {
      const { path, size, files, elsewhere, remove } = await makeBackup(services, actor!)
      const all = [{ name: DATABASE_FILE, path, size }, ...files]
      const alone = files.length === 0
      const entries = all.map((file) => ({ ...file, bytes: createReadOnce(file.path) }))
      const stream = alone ? createReadStream(path) : Readable.from(writeTar(entries), { objectMode: false })
      // Read to its end, or given up by the caller.
      stream.on('close', remove)
      return reply
        .type(alone ? 'application/vnd.sqlite3' : 'application/x-tar')
        .header('content-length', alone ? size : tarLength(all.map((file) => file.size)))
        .header('content-disposition', `attachment; filename="millrace-backup.${alone ? 'db' : 'tar'}"`)
        .header('millrace-files', files.length)
        .header('millrace-files-elsewhere', elsewhere)
        .send(stream)
    },
  )
}

/** Opens the file when it is read, since there may be many. */
async function* createReadOnce(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>
}
