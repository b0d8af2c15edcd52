// A flow that is started on request.
import type { TriggerKind } from '../trigger-kind.ts'
import { schemaProblems } from './input-schema.ts'
import { CALL, CallSettings } from './schema.ts'

export const call: TriggerKind = {
  kind: CALL,
  label: 'Call',
  settings: CallSettings,
  root: 'input',
  rootsAt: (path, _trigger, runRoots) => (path.startsWith('/trigger/labels/') ? ['input', 'config', 'flow'] : runRoots),
  replyUse: () => 'result',
  check({ input }, report) {
    if (input === undefined) return
    for (const { path, message } of schemaProblems(input)) report(`/input${path}`, 'invalid_schema', message)
  },
}
