// Lists the flows that can be called, for callers that choose one: assistants and the editor.
import { parseJson } from '../../../flow/json/parse-json.ts'
import { CALL } from '../../../flow/triggers/call/schema.ts'
import type { FlowServices } from '../services.ts'

export interface CallableFlow {
  id: string
  name: string
  slug: string | null
  description: string | null
  mcp: boolean
  /** The JSON Schema of its input; null if it takes any. */
  input: unknown
}

export async function listCallableFlows({ flows }: Pick<FlowServices, 'flows'>): Promise<{ items: CallableFlow[] }> {
  const live = await flows.publishedWith(CALL)
  return {
    items: live.map(({ id, name, slug, document }) => {
      const { trigger, description = null } = parseJson(document) as {
        trigger: { mcp?: boolean; input?: unknown }
        description?: string | null
      }
      return { id, name, slug, description, mcp: trigger.mcp === true, input: trigger.input ?? null }
    }),
  }
}
