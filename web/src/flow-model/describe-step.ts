// One line about what a step does, for its card.
import type { StepDocument } from '../../../src/flow/document.ts'
import { stepKind } from '../step-kinds/index.ts'
import type { NestedList } from '../step-kinds/step-kind.ts'
import { triggerKind } from '../step-kinds/trigger-kinds.ts'
import { asObject, bare, textOf } from '../step-kinds/words.ts'
import { type EditedFlow, nestedLists } from './flow-tree.ts'

/** `flowName`: the name of a flow by its id or slug. */
export function describeStep(step: StepDocument, flowName?: (flow: string) => string): string {
  const { callsIn, describe } = stepKind(step.kind)
  const called = callsIn ? textOf(step[callsIn]) : ''
  return called && flowName ? flowName(called) : describe(step)
}

/** What is done when a run has failed. `instead`: what is done for flows that say nothing about it. */
export function describeFailure(
  onFailure: EditedFlow['onFailure'],
  instead: string,
  flowName: (flow: string) => string,
): string {
  if (onFailure === undefined) return instead
  if (!Array.isArray(onFailure)) return onFailure.flow ? `calls ${flowName(textOf(onFailure.flow))}` : 'no flow yet'
  if (onFailure.length === 0) return 'nothing is done'
  return onFailure.length === 1 ? '1 step' : `${onFailure.length} steps`
}

/** The trigger's line: at which times it starts runs, or how a delivery gets in and what it gets back. */
export function describeTrigger(trigger: Record<string, unknown>): string {
  const { cron, every, timezone } = trigger
  if (every !== undefined) return `every ${textOf(every)} s`
  if (cron !== undefined) return `${[cron].flat().map(textOf).join(' · ')} ${textOf(timezone ?? 'UTC')}`
  if (triggerKind(trigger)?.isCalled)
    return trigger['mcp'] === true ? 'by flows, the API and assistants' : 'by flows and the API'
  const auth = asObject(trigger['auth'])
  const sender = asObject(trigger['sender'])
  const response = asObject(trigger['response'])
  const parts = [
    auth['kind'] === 'signature'
      ? `signed (${textOf(auth['scheme'])})`
      : auth['kind'] === 'header' || auth['kind'] === 'query'
        ? `${textOf(auth['kind'])} ${textOf(auth['name'])}`
        : sender['name'] !== undefined
          ? `verified as ${textOf(sender['name'])}`
          : '',
    trigger['when'] === undefined ? '' : 'filtered',
    trigger['dedupe'] === undefined ? '' : 'deduplicated',
    response['mode'] === 'finished' ? 'replies when finished' : 'replies at once',
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The label over a column of a branch or parallel step. */
export function describeColumn(step: StepDocument, role: NestedList['role'], index: number): string {
  if (role === 'otherwise') return 'otherwise'
  return role === 'lane' ? nestedLists(step)[index]!.name! : describeCase(step, index)
}

/** The label of a case. */
export function describeCase(step: StepDocument, index: number): string {
  const one = asObject((Array.isArray(step['cases']) ? step['cases'] : [])[index])
  return textOf(one['name']) || bare(one['when']) || `case ${index + 1}`
}
