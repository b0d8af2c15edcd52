// Describes a flow document, and what all steps have in common. The file of each step or trigger kind has its settings.
import Type, { type Static, type TSchema } from 'typebox'
import type { IssueCode } from '../base/error-catalogue.ts'
import { flowName } from './schema.ts'
import { Trigger, type TriggerDocument } from './triggers/index.ts'

const closed = { additionalProperties: false }

export const Retry = Type.Object(
  {
    attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 3 })),
    delay: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400, default: 1 })),
    backoff: Type.Optional(Type.Number({ minimum: 1, maximum: 100, default: 2 })),
    maxDelay: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400, default: 60 })),
    on: Type.Optional(
      Type.Array(
        Type.Unsafe<string | number>({
          type: ['string', 'number'],
          pattern: '^(network|error|[1-5]xx|[1-5]\\d\\d)$',
          minimum: 100,
          maximum: 599,
          description: 'network, error, a status such as 429, or a class such as 5xx',
        }),
        { minItems: 1 },
      ),
    ),
  },
  closed,
)

/** The keys that steps of every kind have. */
export const StepCommon = {
  id: Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 64 }),
  kind: Type.String(),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  onError: Type.Optional(Type.Union([Type.Literal('fail'), Type.Literal('continue')], { default: 'fail' })),
  retry: Type.Optional(Retry),
  reveal: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'The result may be shown although it derives from a secret: in the run, in later steps and in replies.',
    }),
  ),
}

/** The settings of a kind that uses a durable key of the flow. */
export interface KeySettings {
  /** The settings that hold the key and its value. */
  key: string
  value: string
  /** Returns whether the step's result is the value of the key. */
  isRead(step: Record<string, unknown>): boolean
}

/** What flow/ needs to know of a step kind; the caller passes the kinds in. */
export interface KindSchema {
  kind: string
  label: string
  settings: TSchema
  /** The settings are sent to the webhook's caller, so they may hold no secrets. */
  answersCaller?: boolean
  /** The settings go to another run, so they may hold no secrets. */
  startsRun?: boolean
  /** Settings that the result contains: if one of them holds a secret, the whole result is secret. */
  secretFrom?: readonly string[]
  /** The setting whose keys become variables. */
  assigns?: string
  keeps?: KeySettings
  /** How a run ends with a step of this kind; other kinds let it continue. */
  ends?: 'succeeded' | 'failed'
  /** Returns what a template at a place of the settings may read, and whether strangers see it; null if nothing is special. */
  placeOf?(setting: string): SettingPlace | null
  /** Returns whether the step waits for a callback, and so has a URL. */
  awaitsCallback?(settings: object): boolean
  /** Of a kind with nested steps: returns whether every run takes one of its lists. */
  takesOneWay?(settings: object): boolean
  /** `mayRead`: returns whether this number of characters of code may still be read; other code is checked when it runs. */
  check?(
    settings: Record<string, unknown>,
    mayRead: (characters: number) => boolean,
  ): { path: string; code: IssueCode; message: string; warning?: true }[]
}

export interface SettingPlace {
  /** The only roots, or those besides the usual ones. */
  only?: readonly string[]
  besides?: readonly string[]
  /** Whether it is shown to whoever has a link. */
  isPublic?: true
}

export type Kinds = ReadonlyMap<string, KindSchema>

export interface StepDocument {
  id: string
  kind: string
  name?: string
  onError?: 'fail' | 'continue'
  retry?: Static<typeof Retry>
  reveal?: boolean
  [setting: string]: unknown
}

const Note = Type.Object(
  {
    text: Type.String({ maxLength: 2_000 }),
    step: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The id of the step that the note belongs to; without it, the trigger.',
      }),
    ),
    x: Type.Number({ minimum: -100_000, maximum: 100_000, description: 'Where it is, counted from that card.' }),
    y: Type.Number({ minimum: -100_000, maximum: 100_000 }),
  },
  closed,
)

/** The keys of a document that only people read. */
const ForReaders = {
  description: Type.Optional(Type.String({ maxLength: 4_000, description: 'What the flow is for, in Markdown.' })),
  notes: Type.Optional(Type.Array(Note, { maxItems: 50, description: 'Notes on the canvas.' })),
}

export interface FlowDocument {
  name: string
  slug?: string
  description?: string
  notes?: Static<typeof Note>[]
  tags?: string[]
  retention?: RetentionDocument
  trigger: TriggerDocument
  steps: StepDocument[]
  /** What is done when a run has failed: steps, or a flow that is called. */
  onFailure?: StepDocument[] | { flow: string }
  /** Only in what a test run follows, never in a draft or a version: results of steps that do not run. */
  pinned?: Readonly<Record<string, unknown>>
}

/** Words by which flows are grouped in lists; runs do not read them. */
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: '^\\S(.*\\S)?$' }), {
  maxItems: 20,
  description: 'Words by which lists group flows',
})

/** Returns the tags of a draft, which may not be complete. */
export function tagsOf(document: unknown): string[] {
  const { tags } = document as { tags?: unknown }
  return Array.isArray(tags) ? (tags as string[]) : []
}

/** As for the setting of the instance. */
const days = (description: string) => Type.Optional(Type.Number({ minimum: 0.001, maximum: 36_500, description }))

/** How long what a flow did is kept, and whether the data of its runs is. */
const Retention = Type.Object(
  {
    days: days('How long finished runs, deliveries and samples are kept, in place of MILLRACE_RETENTION_DAYS.'),
    failedDays: days('How long failed runs are kept; as long as the others without it.'),
    keepBodies: Type.Optional(
      Type.Union([Type.Literal(true), Type.Literal(false), Type.Literal('failed')], {
        default: true,
        description:
          'false: what a run was given, sent and got is deleted with its end; failed: only failed runs keep it.',
      }),
    ),
  },
  closed,
)

export type RetentionDocument = Static<typeof Retention>

/** Which runs keep their data after their end. */
export type KeptData = 'always' | 'failed' | 'never'

export function keptData({ retention }: { retention?: RetentionDocument | null }): KeptData {
  if (retention?.keepBodies === 'failed') return 'failed'
  return retention?.keepBodies === false ? 'never' : 'always'
}

/** Returns whether the data of a run that ended like this is deleted. */
export const isErased = (kept: KeptData, status: string): boolean =>
  kept === 'never' || (kept === 'failed' && status !== 'failed')

/** The keys of a document beside its trigger and steps. */
export const Head = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  slug: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9-]{1,64}$',
      description: 'A name for URLs, commands and other flows: small letters, digits and -, unique among flows.',
    }),
  ),
  tags: Type.Optional(Tags),
  retention: Type.Optional(Retention),
  ...ForReaders,
}

const stepSchemas = new WeakMap<KindSchema, TSchema>()

/** Returns the JSON Schema of one step of the given kind: the common keys and the kind's own. */
export function stepSchema(kind: KindSchema): TSchema {
  const made = stepSchemas.get(kind)
  if (made) return made
  const own = kind.settings as TSchema & { properties: Record<string, TSchema> }
  const schema = Type.Object({ ...StepCommon, kind: Type.Literal(kind.kind), ...own.properties }, closed)
  stepSchemas.set(kind, schema)
  return schema
}

export function documentSchema(steps: TSchema): TSchema {
  const onFailure = Type.Optional(Type.Union([Type.Array(steps), FailureFlow], { description: WHEN_FAILED }))
  return Type.Object({ ...Head, trigger: Trigger, steps: Type.Array(steps), onFailure }, closed)
}

const WHEN_FAILED = 'What is done when a run has failed: steps, or a flow that is called.'

/** The form of `onFailure` that names a flow in place of steps. */
export const FailureFlow = Type.Object({ flow: flowName() }, closed)
