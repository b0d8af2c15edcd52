import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { Backup } from '../ports/upkeep.ts'
import type { UpkeepServices } from './services.ts'

/** Makes a consistent copy of the whole embedded database and the files beside it, without the key that seals secrets. */
export async function makeBackup(services: UpkeepServices, actor: Actor): Promise<Backup> {
  if (!services.backups)
    throw new OperationError(CODE.conflict, 'The data is in PostgreSQL: make the backup there, with pg_dump.')
  const { backups, files } = services
  const backup = await files
    .keeping(() => backups.make())
    .catch((error: Error) => {
      throw new OperationError(
        CODE.conflict,
        `The copy could not be made: ${error.message}. It needs as much free room in the data folder as the database takes.`,
      )
    })
  try {
    await services.audit.record(actor, 'backup.create', null, {
      size: backup.size,
      ...(backup.files.length && { files: backup.files.length }),
    })
  } catch (error) {
    backup.remove()
    throw error
  }
  return backup
}
