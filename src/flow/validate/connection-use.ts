// Finds what a flow refers to of a connection, and whether it may.
import { CODE, CONNECTION_ERRORS, filled, type IssueCode } from '../../base/error-catalogue.ts'
import { type FlowLimit, isWithin } from '../../base/flow-limit.ts'

/** The pattern that allows `connections.<name>.<field>` in any template. */
export const CONNECTION_NAME = /^[a-z][a-z0-9_]*$/

/** Returns whether a connection of any kind will do that has TLS settings. */
export const wantsTls = (kinds: readonly string[]): boolean => kinds.length === 1 && kinds[0] === 'tls'

export interface ConnectionShape {
  kind: string
  fields: ReadonlySet<string>
  /** Whether it has TLS settings, which are used as a whole. */
  tls?: boolean
  /** The fields that can be read. */
  open?: ReadonlySet<string>
  /** The flows that it is for; none: all. */
  onlyFor?: FlowLimit | null
}

export type ConnectionShapes = ReadonlyMap<string, ConnectionShape>

/** A place where a flow names a connection: a field of it in a template, or all of it in a setting that needs one of these kinds. */
export interface ConnectionUse {
  name: string
  field: string | null
  kinds: readonly string[] | null
}

/** A flow that names connections; `id` is null if it is new. */
export interface UsingFlow {
  id: string | null
  tags: readonly string[]
}

/**
 * Returns why a use cannot work, as code and message; null if it can. `near` suggests a similar name. `flow`: null if it does not
 * matter whose use it is.
 */
export function useProblem(
  { name, field, kinds }: ConnectionUse,
  shapes: ConnectionShapes,
  near: (name: string, known: Iterable<string>) => string,
  flow: UsingFlow | null,
): [code: IssueCode, message: string] | null {
  const shape = shapes.get(name)
  if (!shape)
    return ['unknown_connection', `There is no connection "${name}"${near(name, shapes.keys())}; create it first.`]
  if (flow && shape.onlyFor && !isWithin(shape.onlyFor, flow.id, flow.tags)) {
    const { message, hint } = CONNECTION_ERRORS.connection_not_for_flow
    return [CODE.connection_not_for_flow, `${filled(message, { connection: name })}. ${hint}`]
  }
  if (kinds && wantsTls(kinds) && !shape.tls)
    return ['wrong_connection', `The connection "${name}" has no TLS settings; add them, or name one of the kind tls.`]
  if (kinds && !wantsTls(kinds) && !kinds.includes(shape.kind))
    return [
      'wrong_connection',
      `The connection "${name}" is of the kind ${shape.kind}; this needs one of ${kinds.join(', ')}.`,
    ]
  if (field !== null && !shape.fields.has(field))
    return [
      'unknown_field',
      `The connection "${name}" has no field "${field}"${near(field, shape.fields)}; it has ${[...shape.fields].join(', ')}.`,
    ]
  return null
}
