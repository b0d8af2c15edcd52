// Shows connections as the API does, without their secrets.

import { gatherTls } from '../../base/tls-parts.ts'
import { notFound } from '../operation-error.ts'
import type { AuditTarget } from '../ports/audit.ts'
import type { ConnectionRecord, TestVerdict } from '../ports/connections.ts'
import type { Page, Paged } from '../ports/page.ts'
import { type FlowUses, flowsUsing } from './connection-uses.ts'
import type { ConnectionServices } from './services.ts'

export interface ConnectionView {
  name: string
  kind: string
  fields: Record<string, unknown>
  /** The names of the secret fields that are set. */
  secretFields: string[]
  /** Where those of them are that are kept elsewhere. */
  outside: Readonly<Record<string, string>>
  hosts: string[]
  /** The ids of the flows and the tags that it is limited to; both null: it is for all flows. */
  flows: readonly string[] | null
  tags: readonly string[] | null
  state: 'ready' | 'unconnected' | 'reconnect'
  reason: string | null
  expiresAt: string | null
  /** The client certificate; null: there is none, or it is kept elsewhere and was not read yet. */
  certificate: { subject: string; expiresAt: string } | null
  usedBy: { id: string; name: string }[]
  createdAt: string
  updatedAt: string
  /** null if it was not tested since its last change. */
  lastTest: { at: string; verdict: TestVerdict } | null
}

export async function readConnection(services: ConnectionServices, name: string): Promise<ConnectionView> {
  return connectionView(services, findConnection(services, name), await flowsUsing(services, name))
}

export async function listConnections(
  services: ConnectionServices,
  { limit, cursor }: Page,
): Promise<Paged<ConnectionView>> {
  const rest = services.connections.all().filter(({ name }) => cursor === null || name > cursor)
  const page = rest.slice(0, limit)
  const uses = page.length ? await flowsUsing(services, null) : []
  return {
    items: page.map((record) => connectionView(services, record, uses)),
    nextCursor: rest.length > limit ? page.at(-1)!.name : null,
  }
}

/** Returns the state of every connection, without looking at the flows that use them. */
export const listConnectionStates = (
  services: ConnectionServices,
): Pick<ConnectionView, 'name' | 'state' | 'reason'>[] =>
  services.connections.all().map((record) => {
    const { state, reason } = stateOf(services, record)
    return { name: record.name, state, reason }
  })

export function findConnection({ connections }: ConnectionServices, name: string): ConnectionRecord {
  const record = connections.get(name)
  if (!record) throw notFound('connection', name)
  return record
}

const UNREADABLE = 'its secrets cannot be read: they were changed or moved in the database; set them again'

export const connectionTarget = (name: string): AuditTarget => ({ kind: 'connection', id: name, name })

function stateOf(
  { tokens }: ConnectionServices,
  { name, kind, fields, secrets }: ConnectionRecord,
): Pick<ConnectionView, 'state' | 'reason' | 'expiresAt'> {
  const grant = tokens.grant(name)
  if (secrets === null) return { state: 'reconnect', reason: UNREADABLE, expiresAt: null }
  if (grant?.state === 'reconnect') return { state: 'reconnect', reason: grant.reason, expiresAt: null }
  const needsConsent = kind === 'oauth2' && fields['grant'] === 'authorization_code'
  const expiresAt = grant?.tokens ? grant.expiresAt : null
  return {
    state: needsConsent && !grant?.tokens ? 'unconnected' : 'ready',
    reason: null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
}

export function connectionView(
  services: ConnectionServices,
  record: ConnectionRecord,
  uses: FlowUses[],
): ConnectionView {
  const { name, kind, fields, secrets, outside, hosts, onlyFor, lastTest } = record
  const certificate = services.connections.identity(name)?.certificate ?? null
  return {
    name,
    kind,
    fields: gatherTls(fields),
    secretFields: [...Object.keys(secrets ?? {}), ...Object.keys(outside)],
    outside,
    hosts,
    flows: onlyFor?.flows ?? null,
    tags: onlyFor?.tags ?? null,
    ...stateOf(services, record),
    certificate: certificate && {
      subject: certificate.subject,
      expiresAt: new Date(certificate.expiresAt).toISOString(),
    },
    usedBy: uses
      .filter(({ draft, live }) => [...draft, ...live].some((use) => use.name === name))
      .map((flow) => ({ id: flow.id, name: flow.name })),
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    lastTest: lastTest && { ...lastTest, at: new Date(lastTest.at).toISOString() },
  }
}
