// All that the UI knows of a trigger kind, but its form (editor/trigger) and its icon.

export interface TriggerKindInfo {
  kind: string
  label: string
  /** What templates read of it, and what is in there whatever the data. */
  root: string
  keys: readonly string[]
  /** What the templates of its labels see. */
  labelRoots: readonly string[]
  /** Whether it is started with an input, which may have a JSON Schema. */
  isCalled?: true
  /** Where its settings are explained. */
  page: string
  /** Returns its settings as a new flow begins with them. `timezone`: the browser's. */
  blank(timezone: string): Record<string, unknown>
}

export const TRIGGER_KINDS: readonly TriggerKindInfo[] = [
  {
    kind: 'webhook',
    label: 'Webhook',
    root: 'webhook',
    keys: ['body', 'headers', 'query', 'queryAll', 'rawBody', 'metadata', 'files', 'file'],
    labelRoots: ['webhook', 'config', 'flow'],
    page: 'webhooks',
    blank: () => ({ kind: 'webhook' }),
  },
  {
    kind: 'schedule',
    label: 'Schedule',
    root: 'schedule',
    keys: ['at', 'previous', 'missed', 'input'],
    labelRoots: ['schedule', 'config'],
    page: 'schedules',
    blank: (timezone) => ({ kind: 'schedule', cron: '0 7 * * 1-5', timezone }),
  },
  {
    kind: 'call',
    label: 'Call',
    root: 'input',
    keys: [],
    labelRoots: ['input', 'config', 'flow'],
    isCalled: true,
    page: 'calls',
    blank: () => ({ kind: 'call' }),
  },
]

export const triggerKind = (trigger: Record<string, unknown>): TriggerKindInfo | undefined =>
  TRIGGER_KINDS.find(({ kind }) => kind === trigger['kind'])

export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
