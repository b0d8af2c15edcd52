// A tool has a name and words for the model, the schema of its input, and the request of the API that it makes.
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import Type, { type Static, type TObject, type TProperties } from 'typebox'
import type { Needed } from '../base/scopes.ts'

/** Paths are those below /api/v1. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, with this type. */
  text?: { type: string; content: string }
  headers?: Record<string, string>
}

export interface Tool {
  name: string
  title: string
  description: string
  /** The scopes of a token whose calls the API takes. */
  needs: Needed
  annotations: ToolAnnotations
  input: TObject
  request(input: never): ApiRequest
  /** Picks the part of the reply to show; undefined: it does not exist. */
  show?(body: never, input: never): unknown
}

interface ToolParts<T extends TProperties> {
  needs: Needed
  name: string
  title: string
  description: string
  input?: T
  request(input: Static<TObject<T>>): ApiRequest
  // biome-ignore lint/suspicious/noExplicitAny: the table knows what its request answers
  show?(body: any, input: Static<TObject<T>>): unknown
}

const inputOf = <T extends TProperties>(input: T | undefined) =>
  Type.Object(input ?? {}, { additionalProperties: false })

/** Changes nothing, here or elsewhere. */
export function readTool<const T extends TProperties = Record<never, never>>(parts: ToolParts<T>): Tool {
  const annotations = { title: parts.title, readOnlyHint: true, openWorldHint: false }
  return { ...parts, annotations, input: inputOf(parts.input) }
}

/** `hints` say what a client needs to know before it lets a model call it unasked. */
export function writeTool<const T extends TProperties = Record<never, never>>(
  hints: Required<Pick<ToolAnnotations, 'destructiveHint' | 'idempotentHint' | 'openWorldHint'>>,
  parts: ToolParts<T>,
): Tool {
  const annotations = { title: parts.title, readOnlyHint: false, ...hints }
  return { ...parts, annotations, input: inputOf(parts.input) }
}
