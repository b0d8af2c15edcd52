import type { StatsRange } from './chart-data.ts'

/** What is not known is taken away: the router would pass it on. */
export function overviewSearch({ range }: Record<string, unknown>): { range?: StatsRange | undefined } {
  return { range: range === '7d' || range === '30d' ? range : undefined }
}
