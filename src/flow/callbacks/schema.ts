// Describes what a wait step waits for besides a time: a callback of an outside system, or the approval of a person.
import Type, { type Static } from 'typebox'
import { condition, templated, text } from '../schema.ts'
import { Auth, MOST_ACCEPTED } from '../triggers/webhook/schema.ts'

const closed = { additionalProperties: false }

/** A year: a longer wait is a mistake. */
const LONGEST_TIMEOUT_SECONDS = 31_536_000
export const DEFAULT_TIMEOUT_SECONDS = 604_800
export const DEFAULT_ANSWERS: readonly string[] = ['approve', 'reject']

const Ending = {
  timeout: Type.Optional(
    templated(
      Type.Number({
        minimum: 1,
        maximum: LONGEST_TIMEOUT_SECONDS,
        default: DEFAULT_TIMEOUT_SECONDS,
        description: 'Seconds, from when the run begins to wait.',
      }),
    ),
  ),
  onTimeout: Type.Optional(
    Type.Union([Type.Literal('fail'), Type.Literal('continue')], {
      default: 'fail',
      description: 'fail: the step fails with callback_timeout; continue: its result says timedOut: true.',
    }),
  ),
}

export const CallbackSettings = Type.Object(
  {
    ...Ending,
    auth: Type.Optional(Type.Unsafe<Static<typeof Auth>>({ ...Auth, 'x-apart': true })),
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MOST_ACCEPTED })),
    when: Type.Optional(condition()),
  },
  closed,
)

const Field = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: 64 }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    type: Type.Optional(
      Type.Union([Type.Literal('text'), Type.Literal('number'), Type.Literal('boolean')], { default: 'text' }),
    ),
    required: Type.Optional(Type.Boolean({ default: false })),
  },
  closed,
)

export const ApprovalSettings = Type.Object(
  {
    title: text({ minLength: 1, description: 'What is asked.' }),
    text: Type.Optional(text({ description: 'What there is to know, in Markdown.' })),
    answers: Type.Optional(
      Type.Array(Type.String({ pattern: '^\\S(.*\\S)?$', maxLength: 60 }), {
        minItems: 2,
        maxItems: 5,
        description: 'What can be answered; approve and reject if nothing is said.',
      }),
    ),
    fields: Type.Optional(
      Type.Array(Field, { maxItems: 20, description: 'What whoever answers can fill in, or has to.' }),
    ),
    who: Type.Optional(
      Type.Union([Type.Literal('link'), Type.Literal('users')], {
        default: 'link',
        description: 'link: whoever has the URL; users: signed-in users who may edit.',
      }),
    ),
    ...Ending,
  },
  closed,
)

export type CallbackDocument = Static<typeof CallbackSettings>
export type ApprovalDocument = Static<typeof ApprovalSettings>
export type ApprovalField = Static<typeof Field>
