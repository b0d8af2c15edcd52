// Runs one step of the draft once, of a loop its first rounds, on sample data, with the same limits and guards as in a run.
import { isObject } from '../../base/is-object.ts'
import { createRoots } from '../../engine/run-bindings.ts'
import type { StepError } from '../../engine/step-kind.ts'
import { compileStep } from '../../flow/compile.ts'
import type { StepDocument } from '../../flow/document.ts'
import { sampleFailure } from '../../flow/sample-failure.ts'
import { SecretFlow } from '../../flow/secret-flow.ts'
import { publishIssues } from '../../flow/validate/validate.ts'
import { requireUse } from '../connections/may-use.ts'
import { FlowInvalid } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { findFlow, findings } from './draft.ts'
import { findStep } from './find-step.ts'
import { flowTarget } from './flow-view.ts'
import { type GivenStart, givenStart } from './given-start.ts'
import { openLiterals, requireOwnSecrets } from './secret-literals.ts'
import type { FlowServices } from './services.ts'
import { inFirstRounds } from './trial/first-rounds.ts'
import { sampleIds } from './trial/sampled-files.ts'
import { type Settled, StepTrial } from './trial/step-trial.ts'

/** As many rounds of a loop run where nobody says otherwise. */
const DEFAULT_ROUNDS = 3

export interface StepTest extends GivenStart {
  steps?: Record<string, unknown>
  vars?: Record<string, unknown>
  /** Of a loop: how many of its rounds to run. */
  rounds?: number
}

export interface StepTestResult {
  status: 'succeeded' | 'failed'
  input: unknown
  output: unknown
  error: StepError | null
  logs: string[]
  durationMs: number
}

export async function testStep(
  services: FlowServices,
  actor: Actor,
  flowId: string,
  stepId: string,
  given: StepTest,
): Promise<StepTestResult> {
  const flow = await findFlow(services, flowId)
  const document = JSON.parse(flow.draft) as { name?: string; trigger?: unknown; steps?: unknown[] }
  const found = findStep(flowId, document, stepId)
  const issues = publishIssues(findings(services, flowId, document)).filter(
    ({ path, code }) => (path === found.path || path.startsWith(`${found.path}/`)) && !NEEDS_OTHER_STEPS.has(code),
  )
  if (issues.length) throw new FlowInvalid(issues)
  requireOwnSecrets(services, flowId, document)
  requireUse(services, actor, document)
  services.published.touch(flowId, document)

  const earlier = await services.samples.stepResults(flowId)
  const pins = await services.samples.pins(flowId)
  const startedAt = services.now()
  const at = new Date(startedAt).toISOString()
  const roots = createRoots(await givenStart(services, flowId, document, given), {
    run: { id: 'test', startedAt: at, attempt: 1, replayOf: null },
    flow: { id: flowId, name: flow.name, version: flow.version },
    env: services.env,
    config: services.config,
    connections: services.connections.fields,
  })
  // No run has failed here: a step that is there for that gets an example of why.
  if (found.path.startsWith('/onFailure/'))
    Object.assign(roots, sampleFailure(firstId(document.steps), 'test', flow.version, at))
  const known = { ...earlier, ...pins }
  Object.assign(roots['steps'] as object, known, given.steps)
  Object.assign(roots['vars'] as object, variablesOf(services.kinds, document.steps, known), given.vars)

  const trial = new StepTrial(services, {
    flowId,
    runId: services.ids.next('run'),
    startedAt,
    rounds: given.rounds ?? DEFAULT_ROUNDS,
    pins,
    fileOwners: await sampleIds(services, flowId),
  })
  const secretFlow = new SecretFlow(document, services.kinds, (name, field) =>
    services.connections.isSecretField(name, field),
  )
  // What the step sends is in no transaction: its entry is committed before, so that no test is without one, wherever it is cut off.
  await services.audit.record(actor, 'flow.test_step', flowTarget(flow), { step: stepId })
  const { outcome, input } = await trial.perform(
    compileStep(openStep(services, flowId, found.step), services.kinds, secretFlow),
    inFirstRounds(document, found.path, services.kinds, roots, (from) => trial.bindingsOf(stepId, from)),
  )
  const redact = <T>(value: T): T => services.secrets.redact(value, flowId)
  const { shown, error } = redactedResult(await trial.settle(outcome, stepId), redact)
  const results = new Map([...trial.nested].map(([id, settled]) => [id, redactedResult(settled, redact)]))
  results.set(stepId, { shown, error })
  for (const [id, result] of results)
    await services.samples.setStepResult(flowId, id, keptResult(result), services.now())
  return {
    status: error ? 'failed' : 'succeeded',
    // The JSON round trip gives what a run would have stored.
    input: redact(JSON.parse(JSON.stringify(input ?? null))),
    output: shown,
    error,
    logs: redact(trial.logs),
    durationMs: services.now() - startedAt,
  }
}

function firstId(steps: unknown): string {
  const first: unknown = Array.isArray(steps) ? steps[0] : null
  return isObject(first) && typeof first['id'] === 'string' ? first['id'] : 'step'
}

type ShownResult = Pick<Settled, 'shown' | 'error'>

const redactedResult = ({ shown, error }: Settled, redact: <T>(value: T) => T): ShownResult => ({
  shown: redact(shown),
  error: redact(error),
})

/** Returns what later tests read. */
const keptResult = ({ shown, error }: ShownResult): unknown =>
  error ? { ...(isObject(shown) ? shown : null), error } : shown

function openStep(services: FlowServices, flowId: string, step: StepDocument): StepDocument {
  return openLiterals(services, flowId, { steps: [step] }).steps[0]!
}

/** A reference to a step that has not run is no fault if the results are given. */
const NEEDS_OTHER_STEPS = new Set(['step_not_run_yet', 'unknown_variable', 'unknown_step'])

/** Returns the variables that tested set steps left, in the order of the document. */
function variablesOf(
  kinds: FlowServices['kinds'],
  value: unknown,
  earlier: Record<string, unknown>,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {}
  const { id, kind, ...settings } = value as Partial<StepDocument>
  const assigns = kinds.get(kind!)?.assigns
  const result = assigns !== undefined && typeof id === 'string' ? earlier[id] : null
  const left = Object.keys(settings[assigns!] ?? {}).filter((name) => Object.hasOwn(result ?? {}, name))
  return Object.assign(
    Object.create(null),
    Object.fromEntries(left.map((name) => [name, (result as Record<string, unknown>)[name]])),
    ...Object.values(value).map((item) => variablesOf(kinds, item, earlier)),
  )
}
