// Runs one step of the draft once, on sample data, with the same limits and guards as in a run.
import { CODE } from '../../base/error-catalogue.ts'
import { performStep } from '../../engine/perform-step.ts'
import { startedByDelivery } from '../../engine/ports/run-journal.ts'
import { createRoots, type Roots, stepBindings } from '../../engine/run-bindings.ts'
import type { Outcome, StepContext, StepError } from '../../engine/step-kind.ts'
import { compileStep, SECRET_MASK } from '../../flow/compile.ts'
import type { StepDocument } from '../../flow/document.ts'
import { SecretFlow } from '../../flow/secret-flow.ts'
import { publishIssues } from '../../flow/validate/validate.ts'
import { FlowInvalid } from '../operation-error.ts'
import { findFlow, findings } from './draft.ts'
import { findStep } from './find-step.ts'
import { inFirstRounds } from './first-rounds.ts'
import { type GivenWebhook, givenWebhook } from './given-webhook.ts'
import { openLiterals, requireOwnSecrets } from './secret-literals.ts'
import type { FlowServices } from './services.ts'

export interface StepTest {
  webhook?: GivenWebhook
  steps?: Record<string, unknown>
  vars?: Record<string, unknown>
}

export interface StepTestResult {
  status: 'succeeded' | 'failed'
  input: unknown
  output: unknown
  error: StepError | null
  durationMs: number
}

export async function testStep(
  services: FlowServices,
  flowId: string,
  stepId: string,
  given: StepTest,
): Promise<StepTestResult> {
  const flow = await findFlow(services, flowId)
  const document = JSON.parse(flow.draft) as { name?: string; steps?: unknown[] }
  const found = findStep(flowId, document, stepId)
  const issues = publishIssues(findings(services, document)).filter(
    ({ path, code }) => (path === found.path || path.startsWith(`${found.path}/`)) && !NEEDS_OTHER_STEPS.has(code),
  )
  if (issues.length) throw new FlowInvalid(issues)
  requireOwnSecrets(services, flowId, document)
  services.published.touch(flowId, document)

  const latest = await services.samples.latest(flowId)
  const earlier = await services.samples.stepResults(flowId)
  const startedAt = services.now()
  const roots = createRoots(startedByDelivery(givenWebhook(services, given.webhook, latest)), {
    run: { id: 'test', startedAt: new Date(startedAt).toISOString(), attempt: 1, replayOf: null },
    flow: { id: flowId, name: flow.name, version: flow.version },
    env: services.env,
    connections: services.connections.fields,
  })
  Object.assign(roots['steps'] as object, earlier, given.steps)
  Object.assign(roots['vars'] as object, variablesOf(services.kinds, document.steps, earlier), given.vars)

  const logs: string[] = []
  const context: Omit<StepContext<never>, 'settings' | 'secrets' | 'showInput'> = {
    runId: services.ids.next('run'),
    path: stepId,
    now: startedAt,
    hops: 0,
    interrupted: false,
    announce: async () => {},
    decide: (choose) => choose(),
    // Only this step runs; its nested steps are tested separately.
    runSteps: async () => {},
    runRounds: async ({ items }) => ({ count: items?.length ?? 0, results: [], errors: [], failure: null }),
    holdsSecret: (text) => services.enginePorts.holdsSecret(text, flowId),
    http: services.enginePorts.http,
    replyRoom: () => null,
    standing: () => null,
    connections: services.enginePorts.connections,
    sandbox: services.enginePorts.sandbox,
    log: (line) => void logs.push(line),
    signal: () => new AbortController().signal,
  }
  const secretFlow = new SecretFlow(document, services.kinds, (name, field) =>
    services.connections.isSecretField(name, field),
  )
  const scopeOf = (from: Roots) => stepBindings(from, services.hashing, context.runId, stepId, startedAt)
  const { outcome, input } = await performStep(
    compileStep(openStep(services, flowId, found.step), services.kinds, secretFlow),
    scopeOf(inFirstRounds(document, found.path, services.kinds, roots, scopeOf)),
    context.connections,
    (settings, secrets, showInput) => ({ ...context, settings: settings as never, secrets, showInput }),
    (error) => services.warn('a step failed by a fault of Millrace', { error }),
  )
  const result = await resultOf(services, flowId, outcome)
  const output = services.secrets.redact(result.output, flowId)
  const error = services.secrets.redact(result.error, flowId)
  await services.samples.setStepResult(
    flowId,
    stepId,
    error ? { ...(output as object | null), error } : output,
    services.now(),
  )
  return {
    status: error ? 'failed' : 'succeeded',
    // The JSON round trip gives what a run would have stored.
    input: services.secrets.redact(JSON.parse(JSON.stringify(input ?? null)), flowId),
    output,
    error,
    durationMs: services.now() - startedAt,
  }
}

/** Returns what later steps would read. A wait ends at once; the flow's keys are really changed. */
async function resultOf(
  services: FlowServices,
  flowId: string,
  outcome: Outcome,
): Promise<{ output: unknown; error: StepError | null }> {
  if (outcome.type === 'stop') return { output: null, error: null }
  if (outcome.type === 'call') return { output: null, error: NOT_CALLED }
  const shown = 'shown' in outcome ? outcome.shown : undefined
  if (outcome.type === 'failed') return { output: (shown ?? outcome).output ?? null, error: outcome.error }
  if (outcome.type !== 'keyValue') return { output: (shown ?? outcome).output ?? null, error: null }
  const result = await services.runs.operate(flowId, outcome.operation, services.now())
  const isSecret = outcome.operation.secret === 'kept'
  return 'output' in result
    ? { output: isSecret ? SECRET_MASK : result.output, error: null }
    : { output: null, error: result.error }
}

/** A test of one step starts no run that somebody would have to wait for. */
const NOT_CALLED: StepError = {
  code: CODE.failed,
  message: 'Test Step does not call other flows.',
  hint: 'Test the whole flow, or run the called flow by itself.',
}

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
