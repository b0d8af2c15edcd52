// Leaves out what callers may not see: what runs were given, sent and got, and for limited tokens which runs of other flows they lead to.

import type { CallbackView } from '../../operations/callbacks/callbacks-of-run.ts'
import type { FlowEvent } from '../../operations/events/events.ts'
import type { Actor } from '../../operations/ports/access.ts'
import { type ShownWebhook, withoutData } from '../../operations/ports/deliveries.ts'
import type { RunSummary, RunView, StepView } from '../../operations/runs/read-runs.ts'
import type { StartedRun } from '../../operations/runs/start-requested.ts'
import type { Found } from '../../operations/search/search.ts'

export const seesData = ({ scopes }: Actor): boolean => scopes.includes('runs:data')

/** An error says what went wrong; the reply that it quotes is data. */
function withoutReply<E extends object | null>(error: E): E {
  if (error === null || !('response' in error)) return error
  const { response: _response, ...rest } = error
  return rest as E
}

const hiddenSummary = <R extends { error: RunSummary['error'] }>(run: R): R => ({
  ...run,
  error: withoutReply(run.error),
})

const hiddenStep = ({ omitted: _omitted, ...step }: StepView): StepView => ({
  ...step,
  input: null,
  output: null,
  logs: [],
  error: withoutReply(step.error),
})

function hiddenWebhook(webhook: ShownWebhook): ShownWebhook {
  const { dataDeleted: _dataDeleted, ...rest } = withoutData(webhook)
  return { ...rest, ...(webhook.dataDeleted && { dataDeleted: true }), dataHidden: true }
}

function hiddenRun({ schedule: _schedule, input: _input, ...run }: RunView): RunView {
  const { onFailure } = run
  return {
    ...hiddenSummary(run),
    webhook: run.webhook && hiddenWebhook(run.webhook),
    vars: {},
    steps: run.steps.map(hiddenStep),
    onFailure: onFailure && { ...hiddenSummary(onFailure), steps: onFailure.steps.map(hiddenStep) },
    dataHidden: true,
  }
}

function withoutChild<E extends object | null>(error: E): E {
  if (error === null || !('child' in error)) return error
  const { child: _child, ...rest } = error
  return rest as E
}

const aloneSummary = (run: RunSummary): RunSummary => ({ ...run, parent: null, error: withoutChild(run.error) })

const aloneStep = (step: StepView): StepView => ({ ...step, error: withoutChild(step.error) })

export function runFor(actor: Actor, run: RunView): RunView {
  const shown = seesData(actor) ? run : hiddenRun(run)
  if (!actor.limit) return shown
  return { ...shown, ...aloneSummary(shown), children: [], steps: shown.steps.map(aloneStep) }
}

export function summaryFor(actor: Actor, run: RunSummary): RunSummary {
  const shown = seesData(actor) ? run : hiddenSummary(run)
  return actor.limit ? aloneSummary(shown) : shown
}

/** Whoever starts a run gets what it returns. */
export function startedFor(actor: Actor, run: StartedRun): StartedRun {
  if (!run.error) return run
  const error = seesData(actor) ? run.error : withoutReply(run.error)
  return { ...run, error: actor.limit ? withoutChild(error) : error }
}

export function stepFor(actor: Actor, step: StepView): StepView {
  const shown = seesData(actor) ? step : hiddenStep(step)
  return actor.limit ? aloneStep(shown) : shown
}

/** Those who answer approvals see what is asked. */
export function callbackFor(actor: Actor, callback: CallbackView): CallbackView {
  if (seesData(actor)) return callback
  const { answer: _answer, early: _early, omitted: _omitted, title, asks, ...rest } = callback
  return { ...rest, ...(actor.scopes.includes('approvals') && { ...(title && { title }), ...(asks && { asks }) }) }
}

export const deliveryFor = <D extends { webhook: ShownWebhook }>(actor: Actor, delivery: D): D =>
  seesData(actor) ? delivery : { ...delivery, webhook: hiddenWebhook(delivery.webhook) }

export const foundFor = (actor: Actor, found: Found): Found => ({
  ...found,
  runs: found.runs.map((run) => summaryFor(actor, run)),
})

/** Returns the event as the caller may see it; null: not at all. */
export function eventFor(actor: Actor, event: FlowEvent): FlowEvent | null {
  if (event.type === 'sample') return seesData(actor) ? event : null
  if (event.type === 'step') return { ...event, data: stepFor(actor, event.data as StepView) }
  // The first event of a run has it whole, as the caller may see it already.
  return event.type === 'run' ? { ...event, data: summaryFor(actor, event.data as RunSummary) } : event
}
