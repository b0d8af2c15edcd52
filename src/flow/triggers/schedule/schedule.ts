// A flow that runs at planned times.
import type { TriggerKind } from '../trigger-kind.ts'
import { checkSchedule } from './check.ts'
import { SCHEDULE, ScheduleSettings } from './schema.ts'

export const schedule: TriggerKind = {
  kind: SCHEDULE,
  label: 'Schedule',
  settings: ScheduleSettings,
  root: 'schedule',
  rootsAt: (path) => (path.startsWith('/trigger/labels/') ? ['schedule', 'config'] : []),
  replyUse: () => 'none',
  check: checkSchedule,
}
