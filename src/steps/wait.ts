import Type from 'typebox'
import { CODE } from '../base/error-catalogue.ts'
import { isObject } from '../base/is-object.ts'
import { awaitCallback, defineStep, failed, type StepIssue, waitUntil } from '../engine/step-kind.ts'
import { checkApproval, checkCallback } from '../flow/callbacks/check.ts'
import { ApprovalSettings, CallbackSettings, DEFAULT_TIMEOUT_SECONDS } from '../flow/callbacks/schema.ts'
import { hasTemplate } from '../flow/check.ts'
import { templated, text } from '../flow/schema.ts'

/** Ten years: a longer wait is a mistake. */
const LONGEST_WAIT_SECONDS = 315_360_000
const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

const LONGEST_TITLE = 500
const LONGEST_TEXT = 20_000

/** What a wait may wait for: one of these. */
const WAYS = ['seconds', 'until', 'callback', 'approval'] as const

export const wait = defineStep({
  kind: 'wait',
  label: 'Wait',
  secretFrom: ['seconds', 'until'],
  settings: Type.Object(
    {
      seconds: Type.Optional(templated(Type.Number({ minimum: 0, maximum: LONGEST_WAIT_SECONDS }))),
      until: Type.Optional(text({ minLength: 1, description: 'An ISO 8601 time.' })),
      callback: Type.Optional(CallbackSettings),
      approval: Type.Optional(ApprovalSettings),
    },
    { additionalProperties: false },
  ),
  awaitsCallback: (settings) => WAYS.slice(2).some((way) => isObject((settings as Record<string, unknown>)[way])),
  placeOf(setting) {
    if (setting === '/callback/auth/signed' || setting === '/callback/auth/timestamp')
      return { only: ['webhook', 'env', 'config', 'connections'] }
    if (setting.startsWith('/callback/auth/')) return { only: ['env', 'config', 'connections'] }
    if (setting === '/callback/when') return { besides: ['callback'] }
    return setting === '/approval/title' || setting === '/approval/text' ? { isPublic: true } : null
  },
  check(settings) {
    const [first, second] = WAYS.filter((way) => settings[way] !== undefined)
    if (first === undefined)
      return [
        {
          path: '/seconds',
          code: 'missing',
          message: 'A wait needs seconds, until (an ISO 8601 time), callback or approval.',
        },
      ]
    if (second !== undefined)
      return [
        { path: `/${second}`, code: 'conflicting', message: `A wait has either ${first} or ${second}, not both.` },
      ]
    const issues: StepIssue[] = []
    const { until } = settings
    if (typeof until === 'string' && !hasTemplate(until) && timeOf(until) === null)
      issues.push({ path: '/until', code: 'invalid_format', message: NO_TIME })
    checkCallback(settings['callback'], (path, code, message) =>
      issues.push({ path: `/callback${path}`, code, message }),
    )
    checkApproval(settings['approval'], (path, code, message) =>
      issues.push({ path: `/approval${path}`, code, message }),
    )
    return issues
  },
  run({ settings: { seconds, until, callback, approval }, now }) {
    if (callback)
      return awaitCallback({
        timeoutMs: (callback.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
        onTimeout: callback.onTimeout ?? 'fail',
        asks: null,
      })
    if (approval)
      return awaitCallback({
        timeoutMs: (approval.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
        onTimeout: approval.onTimeout ?? 'fail',
        // Data may make them long: people read no more.
        asks: { title: approval.title.slice(0, LONGEST_TITLE), text: (approval.text ?? '').slice(0, LONGEST_TEXT) },
      })
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
