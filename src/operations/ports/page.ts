// The types of lists that are read page by page.

export interface Page {
  limit: number
  cursor: string | null
}

export interface Paged<T> {
  items: T[]
  nextCursor: string | null
}
