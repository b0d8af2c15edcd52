// Checks, inside the transaction that stores a run, that the files are there which it uses.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { filesGone } from '../rows/files/files-gone.ts'
import type { Session } from './settling-database.ts'

/** Returns what throws if a file of a run that begins is not there. */
export function prepareRunFiles(raw: Session): (run: NewRun) => void {
  const countStored = raw.prepare(
    `SELECT count(*) AS stored FROM json_each(?) JOIN file ON file.id = value WHERE file.state = 'stored'`,
  )
  return ({ files }) => {
    if (!files?.length) return
    if (countStored.get(JSON.stringify(files))?.['stored'] !== files.length) throw filesGone()
  }
}
