import type { Page } from '../../operations/ports/page.ts'

export const pageFrom = ({ limit, cursor }: { limit?: number; cursor?: string }): Page => ({
  limit: limit ?? 50,
  cursor: cursor ?? null,
})
