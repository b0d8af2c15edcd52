import { createReadStream } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../operations/services.ts'
import { makeBackup } from '../../operations/upkeep/make-backup.ts'
import { bytesAs } from './sent-as.ts'

export function backupRoutes(app: FastifyInstance, services: Services): void {
  app.post(
    '/api/v1/backup',
    {
      schema: {
        tags: ['system'],
        summary: 'A copy of the embedded database, without the key that seals secrets',
        response: { 200: bytesAs('application/vnd.sqlite3', 'The database as one file') },
      },
    },
    async ({ actor }, reply) => {
      const { path, size, remove } = await makeBackup(services, actor!)
      const stream = createReadStream(path)
      // Read to its end, or given up by the caller.
      stream.on('close', remove)
      return reply
        .type('application/vnd.sqlite3')
        .header('content-length', size)
        .header('content-disposition', 'attachment; filename="millrace-backup.db"')
        .send(stream)
    },
  )
}
