// Finds what a flow refers to of a connection, and whether it may.
import type { IssueCode } from '../../base/error-catalogue.ts'

/** The pattern that allows `connections.<name>.<field>` in any template. */
export const CONNECTION_NAME = /^[a-z][a-z0-9_]*$/

export interface ConnectionShape {
  kind: string
  fields: ReadonlySet<string>
  /** Whether it has TLS settings, which are used as a whole. */
  tls?: boolean
  /** The fields that can be read. */
  open?: ReadonlySet<string>
}

export type ConnectionShapes = ReadonlyMap<string, ConnectionShape>

/** A place where a flow names a connection: a field of it in a template, or all of it in a setting that needs its kind. */
export interface ConnectionUse {
  name: string
  field: string | null
  kind: string | null
}

/** Returns why a use cannot work, as code and message; null if it can. `near` suggests a similar name. */
export function useProblem(
  { name, field, kind }: ConnectionUse,
  shapes: ConnectionShapes,
  near: (name: string, known: Iterable<string>) => string,
): [code: IssueCode, message: string] | null {
  const shape = shapes.get(name)
  if (!shape)
    return ['unknown_connection', `There is no connection "${name}"${near(name, shapes.keys())}; create it first.`]
  if (kind === 'tls' && !shape.tls)
    return ['wrong_connection', `The connection "${name}" has no TLS settings; add them, or name one of the kind tls.`]
  if (kind !== null && kind !== 'tls' && shape.kind !== kind)
    return ['wrong_connection', `The connection "${name}" is of the kind ${shape.kind}; this needs one of ${kind}.`]
  if (field !== null && !shape.fields.has(field))
    return [
      'unknown_field',
      `The connection "${name}" has no field "${field}"${near(field, shape.fields)}; it has ${[...shape.fields].join(', ')}.`,
    ]
  return null
}
