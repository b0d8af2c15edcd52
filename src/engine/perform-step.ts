// Runs one step once: resolves its settings, calls its kind, and turns whatever goes wrong into an outcome.
import type { CompiledStep } from '../flow/compile.ts'
import { ExpressionError, type Scope } from '../flow/expression/index.ts'
import { ConnectionError, type Connections } from './connections.ts'
import { failed, type Outcome, type StepContext, type StepKind } from './step-kind.ts'
import { WalkSignal } from './walk-signals.ts'

/** A nested step failed, and with it the step that ran it. */
export class NestedFailure extends Error {
  readonly outcome: Outcome & { type: 'failed' }
  constructor(outcome: Outcome & { type: 'failed' }) {
    super(outcome.error.message)
    this.outcome = outcome
  }
}

export interface Performed {
  outcome: Outcome
  input: unknown
}

export async function performStep(
  step: CompiledStep<StepKind>,
  scope: Scope,
  connections: Connections,
  contextFor: (settings: unknown, showInput: (input: unknown) => void) => StepContext<never>,
  onBug: (error: unknown) => void,
): Promise<Performed> {
  let input: unknown = null
  try {
    for (const name of step.accessTokens) {
      const token = connections.accessToken(name)
      if (token instanceof Promise) await token
    }
    const settings = step.settings(scope)
    input = settings
    const context = contextFor(settings, (shown) => {
      input = shown
    })
    const outcome = step.kind.run(context)
    return { outcome: outcome instanceof Promise ? await outcome : outcome, input }
  } catch (error) {
    if (error instanceof WalkSignal) throw error
    if (error instanceof NestedFailure) return { outcome: error.outcome, input }
    if (error instanceof ExpressionError || error instanceof ConnectionError)
      return { outcome: failed({ code: error.code, message: error.message, hint: error.hint }), input }
    onBug(error)
    return {
      outcome: failed({
        code: 'internal_error',
        message: 'Millrace itself failed at this step; its log has the details.',
        hint: 'This is a fault of Millrace, not of the flow: please report it.',
      }),
      input,
    }
  }
}
