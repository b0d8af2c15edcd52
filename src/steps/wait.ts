import Type from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { defineStep, failed, waitUntil } from '../engine/step-kind.ts'
import { hasTemplate } from '../flow/check.ts'
import { templated, text } from '../flow/schema.ts'

/** Ten years: a longer wait is a mistake. */
const LONGEST_WAIT_SECONDS = 315_360_000
const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

export const wait = defineStep({
  kind: 'wait',
  label: 'Wait',
  secretFrom: ['seconds', 'until'],
  settings: Type.Object(
    {
      seconds: Type.Optional(templated(Type.Number({ minimum: 0, maximum: LONGEST_WAIT_SECONDS }))),
      until: Type.Optional(text({ minLength: 1, description: 'An ISO 8601 time.' })),
    },
    { additionalProperties: false },
  ),
  check({ seconds, until }) {
    if (seconds === undefined && until === undefined)
      return [{ path: '/seconds', code: 'missing', message: 'A wait needs seconds, or until, an ISO 8601 time.' }]
    if (seconds !== undefined && until !== undefined)
      return [{ path: '/until', code: 'conflicting', message: 'A wait has either seconds or until, not both.' }]
    if (typeof until === 'string' && !hasTemplate(until) && timeOf(until) === null)
      return [{ path: '/until', code: 'invalid_format', message: NO_TIME }]
    return []
  },
  run({ settings: { seconds, until }, now }) {
    const time = until === undefined ? now + seconds! * 1000 : timeOf(until)
    if (time === null) return failed({ code: CODE.expression_failed, message: `until is "${until}"`, hint: NO_TIME })
    return waitUntil(time, { until: new Date(time).toISOString() })
  },
})

const NO_TIME = 'until must be an ISO 8601 time, such as 2026-12-31T18:00:00Z.'

function timeOf(text: string): number | null {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : time
}
