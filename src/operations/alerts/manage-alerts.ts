// Makes, lists, tests and removes alerts.
import { randomBytes } from 'node:crypto'
import { CODE } from '../../base/error-catalogue.ts'
import { parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { AlertLimits, AlertRecord, AlertRule, AlertTarget } from '../ports/alerts/alerts.ts'
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

/** The numbers that a rule needs. */
const NEEDS: Partial<Record<AlertRule, readonly (keyof AlertLimits)[]>> = {
  failures: ['count', 'minutes'],
  rejections: ['count'],
  queue_age: ['seconds'],
}
/** The numbers that a rule may have. */
const MAY_HAVE: Partial<Record<AlertRule, readonly (keyof AlertLimits)[]>> = { schedule_late: ['seconds'] }
const OF_NO_FLOW: ReadonlySet<AlertRule> = new Set(['reconnect', 'queue_age', 'storage'])
const LIMITS = ['count', 'minutes', 'seconds'] as const
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
  const { rule, tag = null } = given
  const flow = given.flow === undefined ? null : await flowOf(services, given.flow)
  checkRule(given)
  checkTarget(services, given)
  const { target, secret } = sorted(given)
  const alert: AlertRecord = {
    ...limitsOf(given),
    id: services.ids.next('alr'),
    rule,
    flowId: flow?.id ?? null,
    tag,
    target,
    secret,
    createdAt: services.now(),
    sentAt: null,
    problem: null,
  }
  await services.audit.together(async () => {
    await services.alertStore.create(alert)
    await services.audit.record(actor, 'alert.create', alertTarget(alert), { target: target.kind })
  })
  await changed(services)
  const names = new Map(flow ? [[flow.id, flow.name]] : [])
  return { ...alertView(alert, names), ...(secret !== null && { secret }) }
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
  const item = { at, flowId: alert.flowId, runId: null, note: 'This is a test', count: alert.count ?? 1 }
  try {
    const body = { digest: false, since: at, count: item.count, items: [item] }
    await sendMessage(services, services.ids.next('msg'), alert, body)
    return { sent: true, message: null }
  } catch (error) {
    return { sent: false, message: (error as Error).message }
  }
}

async function findAlert({ alertStore }: AlertServices, id: string): Promise<AlertRecord> {
  const alert = (await alertStore.list()).find((one) => one.id === id)
  if (!alert) throw notFound('alert', id)
  return alert
}

async function flowOf({ flows }: AlertServices, given: string): Promise<{ id: string; name: string }> {
  const id = given.startsWith('flow_') ? given : await flows.idOfSlug(given)
  const flow = id === null ? null : await flows.get(id)
  return flow ?? refuse('There is no flow of this id or slug.')
}

function checkRule(given: GivenAlert): void {
  const { rule } = given
  const needs = NEEDS[rule] ?? []
  for (const name of LIMITS) {
    const isGiven = given[name] !== undefined
    if (needs.includes(name) && !isGiven) refuse(`The rule ${rule} needs ${name}.`)
    if (isGiven && !needs.includes(name) && !MAY_HAVE[rule]?.includes(name))
      refuse(`The rule ${rule} takes no ${name}.`)
  }
  if (given.flow !== undefined && given.tag !== undefined) refuse('Give a flow or a tag, not both.')
  if (OF_NO_FLOW.has(rule) && (given.flow !== undefined || given.tag !== undefined))
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
  const secret = target.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  return { target: { kind: 'webhook', url: target.url }, secret }
}

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
