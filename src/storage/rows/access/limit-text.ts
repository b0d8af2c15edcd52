import { parseJson } from '../../../flow/parse-json.ts'
import type { Limit } from '../../../operations/ports/access.ts'

export const limitFrom = (text: string | null): Limit | null => (text === null ? null : (parseJson(text) as Limit))

export const limitText = (limit: Limit | null): string | null =>
  limit && JSON.stringify({ flows: limit.flows, tags: limit.tags })
