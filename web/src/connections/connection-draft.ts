// A connection while it is being filled in, and what of it is sent. Secrets that are set stay unless they are replaced.

import { isWithin, limitOf } from '../../../src/base/flow-limit.ts'
import { isObject } from '../../../src/base/is-object.ts'
import { isTlsPart, spreadTls, tlsPart } from '../../../src/base/tls-parts.ts'
import type { Connection, ConnectionKind } from '../api/api-types.ts'
import { fieldsAsked } from './connection-kinds.ts'

export interface ConnectionDraft {
  name: string
  kind: ConnectionKind
  /** What was typed; a secret that is kept is not among them. */
  values: Record<string, string>
  /** Secret fields that are set now, and stay as they are. */
  kept: string[]
  /** Where those of them are that are kept elsewhere. */
  outside: Record<string, string>
  /** Those that are taken away. */
  removed: string[]
  hosts: string[]
  /** The flows that it is for; both empty: all. */
  flows: string[]
  tags: string[]
  /** Whether it has TLS settings beside its own fields now. */
  hasTls: boolean
}

export const emptyDraft = (kind: ConnectionKind, name = ''): ConnectionDraft => ({
  name,
  kind,
  values: kind === 'custom' ? { '': '' } : {},
  kept: [],
  outside: {},
  removed: [],
  hosts: [],
  flows: [],
  tags: [],
  hasTls: false,
})

export function draftOf(connection: Connection): ConnectionDraft {
  return {
    name: connection.name,
    kind: connection.kind,
    values: Object.fromEntries(
      Object.entries(spreadTls(connection.fields)).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      ]),
    ),
    kept: connection.secretFields,
    outside: connection.outside,
    removed: [],
    hosts: connection.hosts,
    flows: connection.flows ?? [],
    tags: connection.tags ?? [],
    hasTls: hasTlsField(connection),
  }
}

const hasTlsField = ({ fields, secretFields }: Connection): boolean =>
  isObject(fields['tls']) || secretFields.some(isTlsPart)

/** Whether a step can name it as `tls`. */
export const hasTls = (connection: Connection): boolean => connection.kind === 'tls' || hasTlsField(connection)

/** Whether a flow may use it, as it is edited now. */
export function isFor(connection: Connection, flowId: string, tags: readonly string[]): boolean {
  const limit = limitOf(connection.flows ?? [], connection.tags ?? [])
  return !limit || isWithin(limit, flowId, tags)
}

export interface ConnectionRequest {
  kind: ConnectionKind
  fields: Record<string, string | Record<string, string | null> | null>
  hosts: string[]
  flows: string[]
  tags: string[]
}

export function requestOf(draft: ConnectionDraft): ConnectionRequest {
  const { kind, values, removed, hosts, flows, tags } = draft
  const own: Record<string, string | null> = {}
  const tls: Record<string, string | null> = {}
  for (const name of removed) put(own, tls, name, null)
  const isFree = kind === 'custom' || kind === 'tls'
  const asked = isFree ? null : new Set(fieldsAsked(kind, values).map(({ name }) => name))
  for (const [name, value] of Object.entries(values))
    if (name !== '' && value !== '' && (!asked || asked.has(name) || isTlsPart(name))) put(own, tls, name, value)
  return { kind, fields: { ...own, ...tlsChange(draft, tls) }, hosts, flows, tags }
}

function put(own: Record<string, string | null>, tls: typeof own, name: string, value: string | null): void {
  if (isTlsPart(name)) tls[tlsPart(name)] = value
  else own[name] = value
}

/** What is left out stays as it is, so what is empty now is removed by name. */
function tlsChange({ hasTls, kept, removed }: ConnectionDraft, tls: Record<string, string | null>): object {
  const stays = kept.some((name) => isTlsPart(name) && !removed.includes(name))
  if (Object.values(tls).some((value) => value !== null) || stays) return { tls }
  return hasTls ? { tls: null } : {}
}

/** Whether anything would change. */
export function differs(draft: ConnectionDraft, connection: Connection): boolean {
  const before = requestOf(draftOf(connection))
  return JSON.stringify(sorted(requestOf(draft))) !== JSON.stringify(sorted(before))
}

const sorted = ({ fields, ...rest }: ConnectionRequest) => ({
  ...rest,
  fields: Object.entries(fields).toSorted(([a], [b]) => a.localeCompare(b)),
})
