import type { FlowLimit } from '../../../base/flow-limit.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'

export const limitFrom = (text: string | null): FlowLimit | null =>
  text === null ? null : (parseJson(text) as FlowLimit)

export const limitText = (limit: FlowLimit | null): string | null =>
  limit && JSON.stringify({ flows: limit.flows, tags: limit.tags })
