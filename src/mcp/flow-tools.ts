// Flows with `mcp: true` as tools of their own: each is called by a request that starts a run.
import { isObject } from '../base/is-object.ts'
import type { ApiRequest } from './tool.ts'

/** A flow as GET /callable-flows lists it. */
export interface CallableFlow {
  id: string
  name: string
  slug: string | null
  description: string | null
  mcp: boolean
  input: unknown
}

export interface FlowTool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  request(input: Record<string, unknown>): ApiRequest
}

/** An assistant that waits longer than this may give up: it can read the run later. */
const WAIT_SECONDS = 60

/** `taken`: the names of the other tools, which come first. */
export function flowTools(flows: readonly CallableFlow[], taken: ReadonlySet<string>): FlowTool[] {
  return flows.filter(({ mcp }) => mcp).map((flow) => toolOf(flow, taken))
}

function toolOf({ id, name, slug, description, input }: CallableFlow, taken: ReadonlySet<string>): FlowTool {
  const bySlug = slug?.replaceAll('-', '_')
  const isObjectSchema = isObject(input) && input['type'] === 'object'
  return {
    name: bySlug === undefined || taken.has(bySlug) ? `run_${id}` : bySlug,
    title: name,
    description: `${description ?? `Runs the flow "${name}".`}\nAnswers with {id, status, result} or {id, status, error}; without them the run goes on, and get_run shows it.`,
    inputSchema: schemaOf(input, isObjectSchema),
    request: (given) => ({
      method: 'POST',
      path: `/flows/${id}/runs?wait=${WAIT_SECONDS}`,
      body: { input: isObjectSchema || input === null ? given : (given['input'] ?? null) },
    }),
  }
}

/** The input of a tool is an object: any other input is a field of one. */
function schemaOf(input: unknown, isObjectSchema: boolean): FlowTool['inputSchema'] {
  if (input === null) return { type: 'object' }
  if (isObjectSchema) return { ...(input as object), type: 'object' }
  const { $defs, ...own } = isObject(input) ? input : { $defs: undefined }
  return {
    type: 'object',
    properties: { input: isObject(input) ? own : input },
    required: ['input'],
    ...($defs !== undefined && { $defs }),
  }
}
