// Makes, lists, changes, tests and removes alerts.
import { randomBytes } from 'node:crypto'
import { ALERT_NUMBERS, type AlertRule, NUMBERS_OF, RULES_OF_NO_FLOW } from '../../base/alert-rules.ts'
import { CODE } from '../../base/error-catalogue.ts'
import { parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { AlertLimits, AlertRecord, AlertTarget } from '../ports/alerts/alerts.ts'
import { sendMessage } from './send-message.ts'
import type { AlertServices } from './services.ts'

export interface AlertView extends AlertLimits {
  id: string
  rule: AlertRule
  flow: { id: string; name: string | null } | null
  tag: string | null
  target: AlertTarget
  createdAt: string
  sentAt: string | null
  problem: string | null
}

export interface GivenAlert extends AlertLimits {
  rule: AlertRule
  flow?: string
  tag?: string
  target: { kind: 'webhook'; url: string; secret?: string } | { kind: 'email'; to: string[] }
}

interface FlowName {
  id: string
  name: string
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/
const SECRET_BYTES = 24

const refuse = (message: string): never => {
  throw new OperationError(CODE.invalid_request, message)
}

export async function listAlerts(services: AlertServices): Promise<{ items: AlertView[] }> {
  const alerts = await services.alertStore.list()
  const names = await services.flows.names(alerts.flatMap(({ flowId }) => flowId ?? []))
  return { items: alerts.map((alert) => alertView(alert, names)) }
}

/** Returns the alert, with the secret of a webhook: it is never shown again. */
export async function createAlert(
  services: AlertServices,
  actor: Actor,
  given: GivenAlert,
): Promise<AlertView & { secret?: string }> {
  const flow = await checked(services, given)
  const { target, secret } = sorted(given)
  const alert: AlertRecord = {
    ...saidBy(given, flow),
    id: services.ids.next('alr'),
    target,
    secret: secret ?? (target.kind === 'webhook' ? newSecret() : null),
    createdAt: services.now(),
    sentAt: null,
    problem: null,
  }
  await services.audit.together(async () => {
    await services.alertStore.create(alert)
    await services.audit.record(actor, 'alert.create', alertTarget(alert), { target: target.kind })
  })
  await changed(services)
  return { ...alertView(alert, namesOf(flow)), ...(alert.secret !== null && { secret: alert.secret }) }
}

/** Replaces an alert. A webhook keeps its secret unless another is given; one that is made is shown this once. */
export async function updateAlert(
  services: AlertServices,
  actor: Actor,
  id: string,
  given: GivenAlert,
): Promise<AlertView & { secret?: string }> {
  const before = await findAlert(services, id)
  const flow = await checked(services, given)
  const { target, secret } = sorted(given)
  const kept = before.target.kind === target.kind ? before.secret : null
  const made = secret === null && kept === null && target.kind === 'webhook' ? newSecret() : null
  const { createdAt, sentAt } = before
  const isSameTarget = JSON.stringify(target) === JSON.stringify(before.target)
  const problem = isSameTarget ? before.problem : null
  const alert = { ...saidBy(given, flow), id, target, secret: secret ?? kept ?? made, createdAt, sentAt, problem }
  await services.audit.together(async () => {
    if (!(await services.alertStore.update(alert))) throw notFound('alert', id)
    await services.audit.record(actor, 'alert.update', alertTarget(alert), { target: target.kind })
  })
  await changed(services)
  return { ...alertView(alert, namesOf(flow)), ...(made !== null && { secret: made }) }
}

export async function deleteAlert(services: AlertServices, actor: Actor, id: string): Promise<void> {
  const alert = await findAlert(services, id)
  await services.audit.together(async () => {
    if (!(await services.alertStore.remove(id))) throw notFound('alert', id)
    await services.audit.record(actor, 'alert.delete', alertTarget(alert))
  })
  await changed(services)
}

/** Sends a message at once, whatever the rule, and tells what came of it. */
export async function testAlert(
  services: AlertServices,
  actor: Actor,
  id: string,
): Promise<{ sent: boolean; message: string | null }> {
  const alert = await findAlert(services, id)
  await services.audit.record(actor, 'alert.test', alertTarget(alert))
  const at = services.now()
  const item = { at, flowId: alert.flowId, runId: null, note: null, count: alert.count ?? 1 }
  try {
    const body = { digest: false, since: at, count: item.count, items: [item], test: true as const }
    await sendMessage(services, services.ids.next('msg'), alert, body)
    return { sent: true, message: null }
  } catch (error) {
    return { sent: false, message: (error as Error).message }
  }
}

/** Returns the flow that the alert is about; null if it is about no flow or several. */
async function checked(services: AlertServices, given: GivenAlert): Promise<FlowName | null> {
  const flow = given.flow === undefined ? null : await flowOf(services, given.flow)
  checkRule(given)
  checkTarget(services, given)
  return flow
}

const saidBy = (given: GivenAlert, flow: FlowName | null) => ({
  ...limitsOf(given),
  rule: given.rule,
  flowId: flow?.id ?? null,
  tag: given.tag ?? null,
})

const namesOf = (flow: FlowName | null) => new Map(flow ? [[flow.id, flow.name]] : [])

async function findAlert({ alertStore }: AlertServices, id: string): Promise<AlertRecord> {
  const alert = (await alertStore.list()).find((one) => one.id === id)
  if (!alert) throw notFound('alert', id)
  return alert
}

async function flowOf({ flows }: AlertServices, given: string): Promise<FlowName> {
  const id = given.startsWith('flow_') ? given : await flows.idOfSlug(given)
  const flow = id === null ? null : await flows.get(id)
  return flow ?? refuse('There is no flow of this id or slug.')
}

function checkRule(given: GivenAlert): void {
  const { rule } = given
  const takes = NUMBERS_OF[rule] ?? {}
  for (const name of ALERT_NUMBERS) {
    const isGiven = given[name] !== undefined
    if (takes[name] === 'needed' && !isGiven) refuse(`The rule ${rule} needs ${name}.`)
    if (isGiven && !takes[name]) refuse(`The rule ${rule} takes no ${name}.`)
  }
  if (given.flow !== undefined && given.tag !== undefined) refuse('Give a flow or a tag, not both.')
  if (RULES_OF_NO_FLOW.has(rule) && (given.flow !== undefined || given.tag !== undefined))
    refuse(`The rule ${rule} is about no flow.`)
}

function checkTarget({ mailer }: AlertServices, { target }: GivenAlert): void {
  if (target.kind === 'email') {
    if (!mailer) refuse('No mail server is set. Set MILLRACE_SMTP_URL and MILLRACE_SMTP_FROM.')
    return
  }
  try {
    parseOutboundUrl(target.url)
  } catch (error) {
    refuse((error as Error).message)
  }
  if (target.secret !== undefined && !SECRET.test(target.secret))
    refuse('The secret must be whsec_ and at least 24 bytes in base64.')
}

function sorted({ target }: GivenAlert): { target: AlertTarget; secret: string | null } {
  if (target.kind === 'email') return { target, secret: null }
  return { target: { kind: 'webhook', url: target.url }, secret: target.secret ?? null }
}

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

const limitsOf = ({ count, minutes, seconds }: AlertLimits): AlertLimits => ({
  ...(count !== undefined && { count }),
  ...(minutes !== undefined && { minutes }),
  ...(seconds !== undefined && { seconds }),
})

function alertView(alert: AlertRecord, names: ReadonlyMap<string, string>): AlertView {
  const { id, rule, flowId, tag, target, createdAt, sentAt, problem } = alert
  return {
    id,
    rule,
    ...limitsOf(alert),
    flow: flowId === null ? null : { id: flowId, name: names.get(flowId) ?? null },
    tag,
    target,
    createdAt: new Date(createdAt).toISOString(),
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
    problem,
  }
}

const alertTarget = ({ id, rule }: AlertRecord) => ({ kind: 'alert', id, name: rule })

async function changed({ alerts, signals }: AlertServices): Promise<void> {
  await alerts.load()
  signals.send({ topic: 'settings' })
}
