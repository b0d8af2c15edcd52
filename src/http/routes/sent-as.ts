// Describes a reply other than JSON with a schema: a file, a page, a stream of events.

interface SentAs {
  description: string
  content: Record<string, { schema: object; example?: unknown }>
}

export const textAs = (type: string, description: string, example: string): SentAs => ({
  description,
  content: { [type]: { schema: { type: 'string' }, example } },
})

/** Bytes have no example that a document could show. */
export const bytesAs = (type: string, description: string): SentAs => ({
  description,
  content: { [type]: { schema: { type: 'string', format: 'binary' } } },
})

export const jsonAs = (description: string, schema: object, example: unknown): SentAs => ({
  description,
  content: { 'application/json': { schema, example } },
})

export const eventsAs = (example: string): SentAs =>
  textAs('text/event-stream', 'Events until the client closes the stream', example)
