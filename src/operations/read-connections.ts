// Connections as the API shows them: never with what is secret in them.
import { type FlowUses, flowsUsing } from './connection-uses.ts'
import { notFound } from './operation-error.ts'
import type { ConnectionRecord, Page, Paged } from './ports.ts'
import type { Services } from './services.ts'

export interface ConnectionView {
  name: string
  kind: string
  fields: Record<string, unknown>
  /** The names of the secret fields that are set. */
  secretFields: string[]
  hosts: string[]
  state: 'ready' | 'unconnected' | 'reconnect'
  reason: string | null
  expiresAt: string | null
  usedBy: { id: string; name: string }[]
  createdAt: string
  updatedAt: string
}

export async function readConnection(services: Services, name: string): Promise<ConnectionView> {
  return connectionView(findConnection(services, name), await flowsUsing(services, name))
}

export async function listConnections(services: Services, { limit, cursor }: Page): Promise<Paged<ConnectionView>> {
  const rest = services.connections.all().filter(({ name }) => cursor === null || name > cursor)
  const page = rest.slice(0, limit)
  const uses = page.length ? await flowsUsing(services, null) : []
  return {
    items: page.map((record) => connectionView(record, uses)),
    nextCursor: rest.length > limit ? page.at(-1)!.name : null,
  }
}

export function findConnection({ connections }: Services, name: string): ConnectionRecord {
  const record = connections.get(name)
  if (!record) throw notFound('connection', name)
  return record
}

const UNREADABLE = 'Its secrets cannot be read: they were changed or moved in the database. Set them again.'

export function connectionView(record: ConnectionRecord, uses: FlowUses[]): ConnectionView {
  const { name, kind, fields, secrets, hosts } = record
  return {
    name,
    kind,
    fields,
    secretFields: Object.keys(secrets ?? {}),
    hosts,
    state: secrets === null ? 'reconnect' : 'ready',
    reason: secrets === null ? UNREADABLE : null,
    expiresAt: null,
    usedBy: uses
      .filter(({ draft, live }) => [...draft, ...live].some((use) => use.name === name))
      .map((flow) => ({ id: flow.id, name: flow.name })),
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
  }
}
