// Describes the writes by which a run begins, on SQLite.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { runBinding } from '../rows/bindings.ts'
import { sealedStartTexts } from '../rows/request-columns.ts'
import type { HotStatement } from './hot/hot-writes.ts'
import { countStart, insertRun } from './hot/write-descriptions.ts'

export function startOf(run: NewRun, protect: Protect): HotStatement[] {
  const statements = [
    insertRun(run, sealedStartTexts(run, protect.of(run.flowId), runBinding(run.id))),
    ...countStart(run),
  ]
  if (run.edited) statements.push(['setEdited', [run.id]])
  if (run.files?.length) statements.push(['useFiles', [run.id, JSON.stringify(run.files)]])
  return statements
}
