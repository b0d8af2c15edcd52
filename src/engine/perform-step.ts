// Runs one step once: resolves its settings, calls its kind, and turns every error into an outcome.
import { CODE, STEP_ERRORS } from '../base/error-catalogue.ts'
import { isObject } from '../base/is-object.ts'
import { type CompiledStep, SECRET_MASK } from '../flow/compile.ts'
import { ExpressionError } from '../flow/expression/index.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import { NeedsFile } from '../flow/expression/values/needs-file.ts'
import { withFiles } from './files/load-files.ts'
import { FileError, type RunFiles } from './files/run-files.ts'
import { errorWithStep } from './journal-entries.ts'
import { ConnectionError, type Connections } from './ports/connections.ts'
import type { RoomOfRun } from './ports/http-client.ts'
import type { JournalEntry } from './ports/run-journal.ts'
import { assign, done, failed, type Outcome, type StepContext, type StepError, type StepKind } from './step-kind.ts'
import { WalkSignal } from './walk-signals.ts'

/** Carries the failure of a nested step to the step that ran it, which fails with it. */
export class NestedFailure extends Error {
  readonly outcome: Outcome & { type: 'failed' }
  constructor(outcome: Outcome & { type: 'failed' }) {
    super(outcome.error.message)
    this.outcome = outcome
  }
}

/** Returns the failure of a step, for the step around it. */
export const failureOf = (entry: JournalEntry): NestedFailure =>
  new NestedFailure({
    type: 'failed',
    error: errorWithStep(entry),
    output: entry.output,
    ...(entry.shown && { shown: entry.shown }),
  })

export interface Performed {
  outcome: Outcome
  input: unknown
}

/** Returns no promise where nothing has to be waited for: promises cost more than most steps. */
export function performStep(
  step: CompiledStep<StepKind>,
  bindings: Bindings,
  connections: Connections,
  contextFor: (
    settings: unknown,
    secrets: StepContext<never>['secrets'],
    showInput: (input: unknown) => void,
  ) => StepContext<never>,
  onBug: (error: unknown) => void,
  world: { flowId: string | null; files(): RunFiles; room(): RoomOfRun | null },
): Performed | Promise<Performed> {
  let input: unknown = null
  const ended = (outcome: Outcome, shown: Resolved['shown']): Performed => {
    if (step.reveals && outcome.type === 'keyValue') outcome.operation.secret = 'revealed'
    return { outcome: shown ? hidden(outcome, step.secrets!.result, shown) : outcome, input }
  }
  const run = ({ settings, shown }: Resolved): Performed | Promise<Performed> => {
    input = shown ?? settings
    const secrets = shown && { ...step.secrets!, shown: shown as never }
    const context = contextFor(settings, secrets, (given) => {
      input = given
    })
    const outcome = step.kind.run(context)
    return outcome instanceof Promise ? outcome.then((late) => ended(late, shown)) : ended(outcome, shown)
  }
  const resolveAndRun = (): Performed | Promise<Performed> => {
    const resolved = resolve(step, bindings)
    if (!(resolved instanceof NeedsFile)) return run(resolved)
    return withFiles(bindings, resolved, () => settingsOf(step, bindings), world.files(), world.room()).then(run)
  }
  const caught = (error: unknown): Performed => {
    if (error instanceof WalkSignal) throw error
    if (error instanceof NestedFailure) return { outcome: error.outcome, input }
    if (error instanceof ExpressionError || error instanceof ConnectionError || error instanceof FileError)
      return { outcome: failed({ code: error.code, message: error.message, hint: error.hint }), input }
    onBug(error)
    return {
      outcome: failed({
        code: CODE.internal_error,
        message: STEP_ERRORS.internal_error.message,
        hint: STEP_ERRORS.internal_error.hint,
      }),
      input,
    }
  }
  try {
    const isReady = !step.connections.length && !step.accessTokens.length
    const performed = isReady ? resolveAndRun() : readSecrets(step, connections, world.flowId).then(resolveAndRun)
    return performed instanceof Promise ? performed.catch(caught) : performed
  } catch (error) {
    return caught(error)
  }
}

/** Makes sure that what the step reads of its connections is there, and has not expired. */
async function readSecrets(
  step: CompiledStep<StepKind>,
  connections: Connections,
  flowId: string | null,
): Promise<void> {
  if (step.connections.length) await connections.fresh(step.connections, flowId)
  for (const name of step.accessTokens) await connections.accessToken(name)
}

interface Resolved {
  settings: Record<string, unknown>
  shown: Record<string, unknown> | null
}

const settingsOf = (step: CompiledStep<StepKind>, bindings: Bindings): Resolved => ({
  settings: step.settings(bindings),
  shown: step.secrets?.shown(bindings) ?? null,
})

function resolve(step: CompiledStep<StepKind>, bindings: Bindings): Resolved | NeedsFile {
  try {
    return settingsOf(step, bindings)
  } catch (error) {
    if (error instanceof NeedsFile) return error
    throw error
  }
}

/** The line in the log of a step whose result is pinned. */
export const PINNED = 'Pinned: the step did not run, this is the result that was pinned to it.'

/** Returns the outcome of a step that has a pinned result, and so does not run. */
export function pinnedOutcome({ kind }: CompiledStep<StepKind>, output: unknown): Outcome {
  return kind.assigns !== undefined && isObject(output) ? assign(output) : done(output)
}

/** Hides a secret outcome. Later steps get the full output, but not the error: its message goes to replies and logs. */
function hidden(outcome: Outcome, isSecret: boolean, settings: Record<string, unknown>): Outcome {
  if (!isSecret) return outcome
  switch (outcome.type) {
    case 'assign':
      return { ...outcome, shown: { output: settings['vars'] } }
    case 'keyValue':
      return { ...outcome, operation: { ...outcome.operation, secret: 'kept' } }
    case 'failed':
      return { ...outcome, error: hiddenError(outcome.error, settings['message']), shown: { output: SECRET_MASK } }
    case 'done':
    case 'wait':
      return { ...outcome, shown: { output: SECRET_MASK } }
    default:
      return outcome
  }
}

/** Hides an error. `message` is the text of a step that fails on purpose, with its secrets already hidden. */
const hiddenError = ({ response: _response, ...error }: StepError, message: unknown): StepError => ({
  ...error,
  message: typeof message === 'string' ? message : SECRET_MASK,
  hint: 'What this step gives comes of a secret and is not shown. If it may be seen, set reveal: true on the step.',
})
