// A connection while it is being filled in, and what of it is sent. Secrets that are set stay unless they are replaced.
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
}

export const emptyDraft = (kind: ConnectionKind, name = ''): ConnectionDraft => ({
  name,
  kind,
  values: kind === 'custom' ? { '': '' } : {},
  kept: [],
  outside: {},
  removed: [],
  hosts: [],
})

export function draftOf(connection: Connection): ConnectionDraft {
  return {
    name: connection.name,
    kind: connection.kind,
    values: Object.fromEntries(
      Object.entries(connection.fields).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      ]),
    ),
    kept: connection.secretFields,
    outside: connection.outside,
    removed: [],
    hosts: connection.hosts,
  }
}

export interface ConnectionRequest {
  kind: ConnectionKind
  fields: Record<string, string | null>
  hosts: string[]
}

export function requestOf({ kind, values, removed, hosts }: ConnectionDraft): ConnectionRequest {
  const fields: Record<string, string | null> = {}
  for (const name of removed) fields[name] = null
  const names = kind === 'custom' ? Object.keys(values) : fieldsAsked(kind, values).map(({ name }) => name)
  for (const name of names) {
    const value = values[name]
    if (name !== '' && value !== undefined && value !== '') fields[name] = value
  }
  return { kind, fields, hosts }
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
