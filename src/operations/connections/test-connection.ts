// Tests a connection against a URL of the person's choice: sends one request as an http step would, and says what came of it.
import { CODE } from '../../base/error-catalogue.ts'
import { runFiles } from '../../engine/files/run-files.ts'
import { parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { performStep } from '../../engine/perform-step.ts'
import type { EnginePorts } from '../../engine/ports/engine-ports.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import { refusalCause, refusesCertificate } from '../../engine/ports/tls.ts'
import { type Roots, stepBindings } from '../../engine/run-bindings.ts'
import type { Outcome, StepContext } from '../../engine/step-kind.ts'
import { compileStep } from '../../flow/compile.ts'
import type { StepDocument } from '../../flow/document.ts'
import { HTTP_STEP } from '../../flow/http-kind.ts'
import { SecretFlow } from '../../flow/secret-flow.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { ConnectionRecord, TestVerdict } from '../ports/connections.ts'
import { keepTest } from './keep-test.ts'
import { connectionTarget, findConnection } from './read-connections.ts'
import type { ConnectionServices } from './services.ts'

export interface ConnectionTest {
  verdict: TestVerdict
  /** null if there was no reply. */
  status: number | null
  /** What it means, and what to do. */
  message: string
  durationMs: number
}

interface TestServices extends ConnectionServices {
  enginePorts: EnginePorts
}

const STEP_ID = 'test'
const TIMEOUT_S = 15

export async function testConnection(
  services: TestServices,
  actor: Actor,
  name: string,
  given: string,
): Promise<ConnectionTest> {
  const connection = findConnection(services, name)
  const url = checked(given)
  const credentials = credentialsOf(connection)
  await services.audit.record(actor, 'connection.test', connectionTarget(name), { host: new URL(url).host })
  const test = await carryOut(services, url, name, credentials)
  await keepTest(services, connection, { at: services.now(), verdict: test.verdict })
  return test
}

/** The settings of a step by which it uses a connection. */
type Credentials = { auth: Record<string, unknown> } | { tls: { connection: string } } | null

async function carryOut(
  services: TestServices,
  url: string,
  name: string,
  credentials: Credentials,
): Promise<ConnectionTest> {
  const startedAt = services.now()
  const outcome = await send(services, url, credentials)
  const durationMs = services.now() - startedAt
  const { verdict, status, message } = read(outcome, () => refusal(services, name))
  if (verdict === 'accepted' && read(await send(services, url, null), () => '').verdict === 'accepted')
    return { verdict: 'unproven', status, message: OPEN_TO_ALL, durationMs }
  return { verdict, status, message: services.secrets.redact(message), durationMs }
}

const OPEN_TO_ALL =
  'The API replied, but it answers this URL without credentials too. Choose a URL that needs them to test the connection.'

/** A URL that passes holds no template either: braces have to be escaped in URLs. */
function checked(url: string): string {
  try {
    return parseOutboundUrl(url).href
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const message = `${error.message}. ${error.hint}`
    throw new OperationError(CODE.invalid_request, message, [{ path: '/url', code: 'invalid_format', message }])
  }
}

/** Says why the API does not accept the client certificate. */
function refusal({ connections, now }: TestServices, name: string): string {
  const { why, hint } = refusalCause(connections.identity(name), now())
  return `The API refuses the client certificate: ${why}. ${hint}`
}

const credentialsOf = (connection: ConnectionRecord): Credentials =>
  connection.kind === 'tls' ? { tls: { connection: connection.name } } : { auth: authOf(connection) }

function authOf({ name, kind }: ConnectionRecord): Record<string, unknown> {
  if (kind === 'custom')
    throw new OperationError(
      CODE.invalid_request,
      `The connection "${name}" cannot be tested by itself: only a flow says where its fields go. Test a step that uses it.`,
    )
  return { kind: 'connection', connection: name }
}

async function send(services: TestServices, url: string, credentials: Credentials): Promise<Outcome> {
  const { enginePorts, kinds } = services
  const now = services.now()
  const step: StepDocument = {
    id: STEP_ID,
    ...HTTP_STEP,
    method: 'GET',
    url,
    timeout: TIMEOUT_S,
    // A page to sign in at, after a redirect, would look like success.
    followRedirects: false,
    failOnError: false,
    ...credentials,
  }
  const runId = services.ids.next('run')
  const context: Omit<StepContext<never>, 'settings' | 'secrets' | 'showInput'> = {
    runId,
    path: STEP_ID,
    now,
    hops: 0,
    interrupted: false,
    announce: async () => {},
    decide: (choose) => choose(),
    runSteps: async () => {},
    runBranches: async () => ({ finished: [], errors: [], failure: null }),
    runRounds: async () => ({ count: 0, results: [], errors: [], failure: null }),
    holdsSecret: (text) => services.secrets.holds(text),
    http: enginePorts.http,
    replyRoom: () => null,
    standing: () => null,
    connections: enginePorts.connections,
    flowId: null,
    files: runFiles(enginePorts, [runId]),
    sandbox: enginePorts.sandbox,
    log: () => {},
    signal: () => new AbortController().signal,
  }
  // The settings name the connection, and nothing else.
  const roots: Roots = Object.assign(Object.create(null), { connections: services.connections.fields })
  const secretFlow = new SecretFlow({ steps: [step] }, kinds, (name, field) =>
    services.connections.isSecretField(name, field),
  )
  const { outcome } = await performStep(
    compileStep(step, kinds, secretFlow),
    stepBindings(roots, services.hashing, runId, STEP_ID, now),
    enginePorts.connections,
    (settings, secrets, showInput) => ({ ...context, settings: settings as never, secrets, showInput }),
    (error) => services.warn('the test of a connection failed by a fault of Millrace', { error }),
    { flowId: null, files: () => context.files, room: () => null },
  )
  return outcome
}

function read(outcome: Outcome, refusal: () => string): Omit<ConnectionTest, 'durationMs'> {
  if (outcome.type === 'failed') {
    const { code, message, hint } = outcome.error
    const verdict = code === CODE.client_certificate ? 'refused' : 'unreachable'
    return { verdict, status: null, message: hint ? `${sentence(message)} ${hint}` : sentence(message) }
  }
  const { status, body } = (outcome as { output: { status: number; body: unknown } }).output
  if (refusesCertificate(status, body)) return { verdict: 'refused', status, message: refusal() }
  return { status, ...meaningOf(status) }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

function meaningOf(status: number): Pick<ConnectionTest, 'verdict' | 'message'> {
  if (status < 300) return { verdict: 'accepted', message: 'The API accepts the credentials.' }
  if (status < 400)
    return {
      verdict: 'unproven',
      message: 'The API redirects to another address. Use the URL of an API call, not that of a page.',
    }
  if (status === 401)
    return {
      verdict: 'refused',
      message: 'The API does not accept the credentials. Check them, and whether the API expects another kind.',
    }
  if (status === 403)
    return {
      verdict: 'refused',
      message: 'The API knows the credentials, but they may not use this URL. Check their scopes or permissions.',
    }
  if (status === 404 || status === 405)
    return { verdict: 'unproven', message: 'The API has nothing to read at this URL. Try another one.' }
  if (status === 429)
    return { verdict: 'unproven', message: 'The API takes no more requests for now. Try again later.' }
  if (status < 500)
    return {
      verdict: 'unproven',
      message: 'The API does not understand this request. Try a URL that needs no parameters.',
    }
  return { verdict: 'unproven', message: 'The API has an error of its own. Try again later.' }
}
