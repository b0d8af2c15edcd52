// Describes the writes by which a run begins, on SQLite.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { runBinding } from '../rows/bindings.ts'
import { sealedStartTexts } from '../rows/request-columns.ts'
import { countStart, type HotStatement, insertRun } from './hot-writes.ts'

export const startOf = (run: NewRun, protect: Protect): HotStatement[] => [
  insertRun(run, sealedStartTexts(run, protect.of(run.flowId), runBinding(run.id))),
  ...editedMark(run),
  ...countStart(run),
]

const editedMark = ({ id, edited }: NewRun): HotStatement[] => (edited ? [['setEdited', [id]]] : [])
