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

export async function performStep(
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
): Promise<Performed> {
  let input: unknown = null
  try {
    const fresh = step.connections.length ? connections.fresh(step.connections, world.flowId) : null
    if (fresh) await fresh
    for (const name of step.accessTokens) {
      const token = connections.accessToken(name)
      if (token instanceof Promise) await token
    }
    const resolved = resolve(step, bindings)
    const { settings, shown } =
      resolved instanceof NeedsFile
        ? await withFiles(bindings, resolved, () => settingsOf(step, bindings), world.files(), world.room())
        : resolved
    input = shown ?? settings
    const secrets = shown && { ...step.secrets!, shown: shown as never }
    const context = contextFor(settings, secrets, (given) => {
      input = given
    })
    const run = step.kind.run(context)
    const outcome = run instanceof Promise ? await run : run
    if (step.reveals && outcome.type === 'keyValue') outcome.operation.secret = 'revealed'
    return { outcome: shown ? hidden(outcome, step.secrets!.result, shown) : outcome, input }
  } catch (error) {
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
