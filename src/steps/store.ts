import Type from 'typebox'
import { defineStep, keyValue, type StepIssue } from '../engine/step-kind.ts'
import { json, templated, text } from '../flow/schema.ts'

const Operation = Type.Union([
  Type.Literal('get'),
  Type.Literal('set'),
  Type.Literal('add'),
  Type.Literal('delete'),
  Type.Literal('increment'),
])

export const store = defineStep({
  kind: 'store',
  label: 'Store',
  secretFrom: ['key', 'value'],
  keeps: { key: 'key', value: 'value', isRead: ({ op }) => op !== 'delete' },
  settings: Type.Object(
    {
      op: Operation,
      key: text({ minLength: 1 }),
      value: Type.Optional(json('Any JSON; what is set or added, or the number to increment by.')),
      ttl: Type.Optional(
        templated(
          Type.Number({ exclusiveMinimum: 0, maximum: 315_360_000, description: 'Seconds until the key expires.' }),
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check({ op, value, ttl }) {
    const issues: StepIssue[] = []
    if (op === 'set' && value === undefined)
      issues.push({ path: '/value', code: 'missing', message: 'set needs a value.' })
    if ((op === 'get' || op === 'delete') && value !== undefined)
      issues.push({ path: '/value', code: 'conflicting', message: `${op} takes no value; remove it.` })
    if ((op === 'get' || op === 'delete') && ttl !== undefined)
      issues.push({ path: '/ttl', code: 'conflicting', message: `${op} takes no ttl; remove it.` })
    return issues
  },
  run: ({ settings: { op, key, value, ttl } }) =>
    keyValue({ op, key, value, ttlMs: ttl === undefined ? null : ttl * 1000 }),
})
