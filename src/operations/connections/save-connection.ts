// Creates and changes connections. Secret fields are never read back: a secret field that is omitted keeps its value.
import { CODE } from '../../base/error-catalogue.ts'
import { type FlowLimit, limitOf } from '../../base/flow-limit.ts'
import { spreadTls } from '../../base/tls-parts.ts'
import type { Issue } from '../../flow/issue.ts'
import { CONNECTION_NAME } from '../../flow/validate/connection-use.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { ConnectionKind, ConnectionRecord } from '../ports/connections.ts'
import { CONNECTION_KINDS, ENDPOINT_FIELDS, fieldPath, type SortedFields, sortFields } from './connection-kinds.ts'
import { flowsUsing, refuseIfMissed } from './connection-uses.ts'
import { allowsMore, parseHostRule } from './host-rules.ts'
import { shapeOf } from './live-connections.ts'
import { type ConnectionView, connectionTarget, connectionView, findConnection } from './read-connections.ts'
import type { ConnectionServices } from './services.ts'
import { changed, partName, tlsOf } from './tls-fields.ts'

export interface GivenConnection {
  name?: string
  kind?: string
  fields?: Record<string, unknown>
  hosts?: string[]
  /** What it is limited to; null or empty, both of them: it is for all flows. */
  flows?: readonly string[] | null
  tags?: readonly string[] | null
}

const MAX_NAME_LENGTH = 64

export async function createConnection(
  services: ConnectionServices,
  actor: Actor,
  given: GivenConnection,
): Promise<ConnectionView> {
  const issues: Issue[] = []
  const name = given.name ?? ''
  if (!CONNECTION_NAME.test(name) || name.length > MAX_NAME_LENGTH)
    issues.push({
      path: '/name',
      code: 'invalid_format',
      message: `name must begin with a small letter and hold only small letters, digits and _ (at most ${MAX_NAME_LENGTH}), so that templates can say connections.<name>.<field>`,
    })
  const kind = kindOf(given.kind, issues)
  const { open, secrets, outside } = fieldsOf(kind, spreadTls(given.fields ?? {}), issues)
  const hosts = hostsOf(given.hosts ?? [], issues)
  const onlyFor = await onlyForOf(services, null, given, issues)
  refuse(issues)
  await checkTls(services, kind!, { open, secrets, outside })
  const now = services.now()
  const record: ConnectionRecord = {
    name,
    kind: kind!,
    fields: open,
    secrets,
    outside,
    hosts,
    onlyFor,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    lastTest: null,
  }
  await services.audit.together(async () => {
    if (!(await services.connectionStore.create(record)))
      throw new OperationError(
        CODE.conflict,
        `There is a connection "${name}" already; change it, or choose another name.`,
      )
    await services.audit.record(actor, 'connection.create', connectionTarget(name), { kind, hosts, ...onlyFor })
  })
  services.connections.put(record)
  return connectionView(services, record, await flowsUsing(services, name))
}

/** Replaces the readable fields as a whole, and only those secret fields that are given. Omitted settings stay. */
export async function replaceConnection(
  services: ConnectionServices,
  actor: Actor,
  name: string,
  given: GivenConnection,
): Promise<ConnectionView> {
  const current = findConnection(services, name)
  const issues: Issue[] = []
  if (given.name !== undefined && given.name !== name)
    issues.push({
      path: '/name',
      code: 'invalid_format',
      message: 'name cannot be changed: flows use it. Create another connection, change the flows, delete this one',
    })
  const kind = given.kind === undefined ? current.kind : kindOf(given.kind, issues)
  const fields = kind === current.kind ? changed(current, given.fields) : spreadTls(given.fields ?? {})
  const { open, secrets, outside } = fieldsOf(kind, fields, issues)
  const hosts = given.hosts === undefined ? current.hosts : hostsOf(given.hosts, issues)
  const onlyFor = await onlyForOf(services, current.onlyFor, given, issues)
  refuse(issues)
  const change = newPlace(current, open, hosts)
  if (kind === current.kind && change) askAgain(change, current, secrets, spreadTls(given.fields ?? {}), issues)
  refuse(issues)
  if (given.kind !== undefined || given.fields !== undefined)
    await checkTls(services, kind!, { open, secrets, outside })
  const record: ConnectionRecord = {
    ...current,
    kind: kind!,
    fields: open,
    secrets,
    outside,
    hosts,
    onlyFor,
    revision: current.revision + 1,
    updatedAt: services.now(),
    // Of the former values.
    lastTest: null,
  }
  const uses = await flowsUsing(services, name)
  refuseIfMissed(uses, name, new Map([[name, shapeOf(record)]]))
  // The user did not consent to sending the grant to the new place: it is deleted before the change takes effect.
  if (change) await services.tokens.forget(name)
  await services.audit.together(async () => {
    if (!(await services.connectionStore.replace(record)))
      throw new OperationError(CODE.conflict, `The connection "${name}" was changed at the same time; read it again.`)
    const fields = Object.keys(given.fields ?? {})
    const details = { kind, hosts, fields, ...(isSame(onlyFor, current.onlyFor) ? {} : { onlyFor }) }
    await services.audit.record(actor, 'connection.update', connectionTarget(name), details)
  })
  services.connections.put(record)
  await services.tokens.settingsChanged(current, record)
  return connectionView(services, record, uses)
}

/** Returns the part of the change that lets secrets go to new places; null if there is none. */
function newPlace(current: ConnectionRecord, fields: Record<string, unknown>, hosts: string[]): string | null {
  const endpoint = ENDPOINT_FIELDS.find((name) => fields[name] !== undefined && fields[name] !== current.fields[name])
  if (endpoint) return endpoint
  const rules = (list: readonly string[]) => list.map((host) => parseHostRule(host)!)
  return allowsMore(rules(hosts), rules(current.hosts)) ? 'hosts' : null
}

/** Requires the secrets again: an editor who does not know them must not learn them by sending them elsewhere. */
function askAgain(
  change: string,
  current: ConnectionRecord,
  secrets: SortedFields['secrets'],
  given: Record<string, unknown>,
  issues: Issue[],
): void {
  for (const name of Object.keys(current.secrets ?? {}))
    if (secrets[name] && !Object.hasOwn(given, name))
      issues.push({
        path: fieldPath(name),
        code: 'secret_needed',
        message: `${name} has to be given again, because ${change === 'hosts' ? 'hosts would let it be sent to more places' : `${change} changes`}`,
      })
}

function kindOf(kind: string | undefined, issues: Issue[]): ConnectionKind | null {
  const known = CONNECTION_KINDS.find((one) => one === kind)
  if (!known)
    issues.push({
      path: '/kind',
      code: kind === undefined ? 'missing' : 'unknown_kind',
      message: `kind must be one of ${CONNECTION_KINDS.join(', ')}`,
    })
  return known ?? null
}

/** Sorts the fields, without those that are null, which removes them. */
function fieldsOf(kind: ConnectionKind | null, given: Record<string, unknown>, issues: Issue[]): SortedFields {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  return kind ? sortFields(kind, present, issues) : { open: {}, secrets: {}, outside: {} }
}

/** Opens what of the TLS settings is kept here, and notes the certificate of a PKCS#12 file among the readable fields. */
async function checkTls(services: ConnectionServices, kind: ConnectionKind, fields: SortedFields): Promise<void> {
  const { open, secrets, outside } = fields
  const certificate = partName(kind, 'certificate')
  const isFile = [secrets, outside].some((some) => Object.hasOwn(some, partName(kind, 'pkcs12')))
  // It was noted by an earlier save.
  if (isFile) delete open[certificate]
  const settings = tlsOf(kind, { ...open, ...secrets })
  const isOutside = tlsOf(kind, outside) !== null
  if (!settings && !isOutside && kind === 'tls')
    refuse([{ path: '/fields', code: 'missing', message: 'fields are empty: give certificate and key, pkcs12, or ca' }])
  // What is kept elsewhere is opened with the rest when it is read.
  if (!settings || isOutside) return
  const opened = await services.openTls(settings)
  refuse(
    opened.faults.map(({ field, message }) => {
      const name = partName(kind, field)
      return { path: fieldPath(name), code: 'invalid_format', message: `${name} ${message}` }
    }),
  )
  if (isFile && opened.certificate) open[certificate] = opened.certificate
}

function hostsOf(hosts: string[], issues: Issue[]): string[] {
  for (const [i, host] of hosts.entries())
    if (!parseHostRule(host))
      issues.push({
        path: `/hosts/${i}`,
        code: 'invalid_format',
        message: `hosts[${i}] is no host: write api.example.com, *.example.com or api.example.com:8443, without https:// and path`,
      })
  return hosts.map((host) => host.trim())
}

/** Returns the flows that the connection is for. What is not given stays. A flow that it was for may have been deleted since. */
async function onlyForOf(
  { flows }: ConnectionServices,
  current: FlowLimit | null,
  given: GivenConnection,
  issues: Issue[],
): Promise<FlowLimit | null> {
  const ids = (given.flows === undefined ? current?.flows : given.flows) ?? []
  const tags = (given.tags === undefined ? current?.tags : given.tags) ?? []
  const known = await flows.names(ids.filter((id) => !current?.flows.includes(id)))
  for (const [i, id] of ids.entries())
    if (!known.has(id) && !current?.flows.includes(id))
      issues.push({
        path: `/flows/${i}`,
        code: 'unknown_flow',
        message: `flows[${i}]: there is no flow with the id ${id}; a slug will not do`,
      })
  return limitOf(ids, tags)
}

const isSame = (one: FlowLimit | null, other: FlowLimit | null): boolean =>
  JSON.stringify([one?.flows, one?.tags]) === JSON.stringify([other?.flows, other?.tags])

/** Throws if there are issues. Their messages name fields and never quote values. */
function refuse(issues: Issue[]): void {
  if (issues.length)
    throw new OperationError(CODE.invalid_request, `The connection cannot be saved: ${issues[0]!.message}.`, issues)
}
