// Checks the calls between flows: what a flow calls must be callable, and stays published as long as it is called.
import { CODE } from '../../../base/error-catalogue.ts'
import { isObject } from '../../../base/is-object.ts'
import { hasTemplate } from '../../../flow/check.ts'
import type { FlowDocument } from '../../../flow/document.ts'
import { type Finding, quoted } from '../../../flow/issue.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'
import { inputIssues } from '../../../flow/triggers/call/check-input.ts'
import { schemaProblems } from '../../../flow/triggers/call/input-schema.ts'
import { CALL } from '../../../flow/triggers/call/schema.ts'
import { callsIn, type FlowCall } from '../../../flow/validate/called-flows.ts'
import { type Limited, reachOf } from '../../access/reach.ts'
import { OperationError } from '../../operation-error.ts'
import type { FlowServices } from '../services.ts'

type CallServices = Pick<FlowServices, 'flows' | 'kinds'>

/** A flow that can be called, or why it cannot. */
type Callee = { id: string; document: FlowDocument } | { problem: string; code: 'unknown_flow' | 'not_callable' }

/** The most flows that are searched for a way back to the first. */
const MOST_SEARCHED = 200

/** Returns the problems of a document's calls, and the document with ids in place of slugs. `flowId`: null if it is new. */
export async function checkCalls<Document>(
  services: CallServices,
  actor: Limited,
  flowId: string | null,
  document: Document,
): Promise<{ findings: Finding[]; document: Document }> {
  const calls = callsIn(document, services.kinds)
  if (calls.length === 0) return { findings: [], document }
  const findings: Finding[] = []
  const resolved = structuredClone(document)
  const callees = new Map<string, Callee>()
  const reach = await reachOf(services, actor)
  for (const call of calls) {
    const known = callees.get(call.flow) ?? (await calleeOf(services, reach, flowId, document, call.flow))
    callees.set(call.flow, known)
    if ('problem' in known) {
      findings.push({ weight: 'publish', path: call.path, code: known.code, message: known.problem })
      continue
    }
    setAt(resolved, call.path, known.id)
    findings.push(...inputFindings(call, known.document))
    // A flow that is called for a failed run is called once: none is called when that run fails.
    if (call.step !== null && flowId !== null && (await leadsTo(services, known, flowId)))
      findings.push({ weight: 'warning', path: call.path, code: 'call_cycle', message: CYCLE })
  }
  return { findings, document: resolved }
}

const CYCLE =
  'The called flow calls this one, directly or by others. Runs end with loop_detected when they go more than 10 deep.'

async function calleeOf(
  { flows }: CallServices,
  reach: readonly string[] | null,
  flowId: string | null,
  document: unknown,
  name: string,
): Promise<Callee> {
  const isOwn = name === flowId || name === (document as { slug?: unknown }).slug
  const id = isOwn ? flowId : name.startsWith('flow_') ? name : await flows.idOfSlug(name)
  const own = document as FlowDocument
  if (isOwn && isObject(own.trigger) && own.trigger.kind === CALL) return { id: id ?? name, document: own }
  const flow = id === null || reach?.includes(id) === false ? null : await flows.get(id)
  if (!flow) return { code: 'unknown_flow', problem: `There is no flow ${quoted(name)}; give its id or slug.` }
  if (flow.version === null) return { code: 'not_callable', problem: `The flow ${quoted(name)} is not published.` }
  if (flow.liveTrigger !== CALL || isOwn)
    return {
      code: 'not_callable',
      problem: `The flow ${quoted(name)} cannot be called: its trigger is not of the kind ${CALL}.`,
    }
  const version = await flows.version(flow.id, flow.version)
  return { id: flow.id, document: parseJson(version!.document) as FlowDocument }
}

/** Checks an input without templates against the schema of the called flow. */
function inputFindings({ step, path }: FlowCall, { trigger }: FlowDocument): Finding[] {
  const schema = trigger.kind === CALL ? trigger.input : undefined
  if (step === null) return []
  const { input = null } = step
  if (schema === undefined || hasTemplateInside(input) || schemaProblems(schema).length) return []
  const at = path.slice(0, path.lastIndexOf('/'))
  return inputIssues(schema as object | boolean, input).map((issue) => ({
    weight: 'publish',
    path: `${at}/input${issue.path}`,
    code: CODE.invalid_input,
    message: `The input does not fit the called flow: ${issue.message}.`,
  }))
}

function hasTemplateInside(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTemplateInside)
}

/** Returns whether published flows lead from a called flow to another. */
async function leadsTo(
  { flows, kinds }: CallServices,
  first: { id: string; document: FlowDocument },
  target: string,
): Promise<boolean> {
  if (first.id === target) return true
  const seen = new Set([first.id])
  const open = [first.document]
  for (let document = open.pop(); document && seen.size <= MOST_SEARCHED; document = open.pop())
    for (const { flow: id } of callsIn(document, kinds)) {
      if (id === target) return true
      if (seen.has(id)) continue
      seen.add(id)
      const flow = await flows.get(id)
      const version = flow?.version ? await flows.version(id, flow.version) : null
      if (version) open.push(parseJson(version.document) as FlowDocument)
    }
  return false
}

const IS_FAILURE_FLOW =
  'This flow is called for failed runs of every flow that has no onFailure. Choose another in the settings first.'

/** Throws, with the list, if published flows call this one. */
export async function requireUncalled(
  services: CallServices & Pick<FlowServices, 'failureFlow'>,
  actor: Limited,
  id: string,
): Promise<void> {
  const flow = await services.flows.get(id)
  if (flow?.liveTrigger !== CALL) return
  await services.failureFlow.load()
  if (services.failureFlow.flowId === id) throw new OperationError(CODE.flow_in_use, IS_FAILURE_FLOW)
  const callers = (await services.flows.holding(id)).filter(
    ({ id: other, live }) =>
      other !== id && live !== null && callsIn(parseJson(live), services.kinds).some((call) => call.flow === id),
  )
  if (callers.length === 0) return
  if (actor.limit)
    throw new OperationError(CODE.flow_in_use, 'Published flows that your token is not for call this flow.')
  const names = callers.slice(0, 5).map(({ name }) => `"${name}"`)
  const more = callers.length > names.length ? ` and ${callers.length - names.length} more` : ''
  throw new OperationError(
    CODE.flow_in_use,
    `Published flows call this flow: ${names.join(', ')}${more}. Change or unpublish them first.`,
    callers.map((caller) => ({ path: '', code: 'in_use', message: `"${caller.name}" (${caller.id}) calls it.` })),
  )
}

/** Sets the value at a JSON Pointer whose keys need no escapes: those of steps. */
function setAt(document: unknown, path: string, value: string): void {
  const keys = path.split('/').slice(1)
  const last = keys.pop()!
  let at = document as Record<string, unknown>
  for (const key of keys) at = at[key] as Record<string, unknown>
  at[last] = value
}
