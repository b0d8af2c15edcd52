import type { Page } from '../operations/ports.ts'

export const pageFrom = ({ limit, cursor }: { limit?: number; cursor?: string }): Page => ({
  limit: limit ?? 50,
  cursor: cursor ?? null,
})
