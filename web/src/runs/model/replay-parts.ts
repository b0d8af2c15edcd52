// The parts of a run that a replay can change, as text to edit, and what was changed in them.
import { parseJson } from '../../../../src/flow/json/parse-json.ts'
import type { Run } from '../../api/api-types.ts'

export type ChangedPart = 'body' | 'headers' | 'query' | 'steps'

export interface EditedPart {
  part: ChangedPart
  label: string
  text: string
  mode: 'json' | 'text'
  help?: string
}

export interface ReplayChanges {
  webhook?: { body?: unknown; headers?: unknown; query?: unknown }
  steps?: Record<string, unknown>
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

export function partsOf({ webhook }: Pick<Run, 'webhook'>): EditedPart[] {
  const steps: EditedPart = {
    part: 'steps',
    label: 'Results of steps',
    text: '{}',
    mode: 'json',
    help: 'By the path of the step: {"lookup": {"status": 200, "body": {}}}. These steps do not run; what you give is their result.',
  }
  if (!webhook) return [steps]
  const isText = typeof webhook.body === 'string'
  return [
    {
      part: 'body',
      label: 'Body',
      text: isText ? (webhook.body as string) : pretty(webhook.body),
      mode: isText ? 'text' : 'json',
      ...(webhook.bodyOmitted && { help: 'The body is too large to be shown. What you write takes its place.' }),
    },
    {
      part: 'headers',
      label: 'Headers',
      text: pretty(webhook.headers),
      mode: 'json',
      help: 'If you change one, all of them are sent as they stand here, masks included.',
    },
    { part: 'query', label: 'Query', text: pretty(webhook.query), mode: 'json' },
    steps,
  ]
}

/** Returns the changed parts alone, or what is wrong with one of them. */
export function changesOf(
  parts: readonly EditedPart[],
  texts: Partial<Record<ChangedPart, string>>,
): { changes: ReplayChanges; problem: string | null } {
  const values: Partial<Record<ChangedPart, unknown>> = {}
  for (const { part, label, mode } of parts) {
    const text = texts[part]
    if (text === undefined) continue
    if (mode === 'text') {
      values[part] = text
      continue
    }
    try {
      values[part] = parseJson(text)
    } catch {
      return { changes: {}, problem: `${label}: this is not valid JSON.` }
    }
    if (part !== 'body' && !isObject(values[part]))
      return { changes: {}, problem: `${label}: write an object, such as {"name": "value"}.` }
  }
  const { steps, ...webhook } = values
  return {
    changes: {
      ...(Object.keys(webhook).length > 0 && { webhook }),
      ...(isObject(steps) && Object.keys(steps).length > 0 && { steps }),
    },
    problem: null,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
