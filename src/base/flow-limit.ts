// What limits a token or a connection to some flows.

/** The flows that it is for: those with these ids, and those with one of these tags. */
export interface FlowLimit {
  flows: readonly string[]
  tags: readonly string[]
}

/** `id`: null if the flow is new: then only a tag can match. */
export const isWithin = (limit: FlowLimit, id: string | null, tags: readonly string[]): boolean =>
  (id !== null && limit.flows.includes(id)) || tags.some((tag) => limit.tags.includes(tag))

/** Returns null, no limit, if there is neither a flow nor a tag. */
export const limitOf = (flows: readonly string[], tags: readonly string[]): FlowLimit | null =>
  flows.length === 0 && tags.length === 0 ? null : { flows: [...new Set(flows)], tags: [...new Set(tags)] }
