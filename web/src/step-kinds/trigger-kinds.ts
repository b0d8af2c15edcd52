// What the web UI knows of the kinds of triggers.

interface TriggerKind {
  /** What templates read of the beginning of a run. */
  root: string
  /** Whether it is started with an input, which may have a JSON Schema. */
  isCalled: boolean
  /** One line about it, for its card; null if its settings say it. */
  line: ((trigger: Readonly<Record<string, unknown>>) => string) | null
}

const WEBHOOK: TriggerKind = { root: 'webhook', isCalled: false, line: null }

const KINDS: ReadonlyMap<unknown, TriggerKind> = new Map([
  ['webhook', WEBHOOK],
  ['schedule', { root: 'schedule', isCalled: false, line: null }],
  [
    'call',
    {
      root: 'input',
      isCalled: true,
      line: ({ mcp }) => (mcp === true ? 'by flows, the API and assistants' : 'by flows and the API'),
    },
  ],
])

/** A trigger that is not chosen yet takes samples as a webhook does. */
export const triggerKind = (trigger: Readonly<Record<string, unknown>>): TriggerKind =>
  KINDS.get(trigger['kind']) ?? WEBHOOK
