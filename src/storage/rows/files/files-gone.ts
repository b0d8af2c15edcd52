import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'

/** A file of a run that begins is not there: nothing of the run was stored, and whoever sent it sends it again. */
export const filesGone = (): StorageUnavailable =>
  new StorageUnavailable('A file that the run uses was deleted before the run was stored.')
