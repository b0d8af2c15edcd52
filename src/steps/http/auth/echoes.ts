// Finds and hides what proves a password where an API sends it back.
import type { OutboundReply } from '../../../engine/ports/http-client.ts'
import { SECRET_MASK } from '../../../flow/compile.ts'

export const isEchoed = ({ headers, cookies, body }: OutboundReply, text: string): boolean =>
  Buffer.from(body.buffer, body.byteOffset, body.length).includes(text) ||
  [...Object.values(headers), ...cookies].some((value) => value.includes(text))

/** Returns a copy of the value without the texts, also in the names of its keys. */
export function withoutTexts(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === 'string') return texts.reduce((text, one) => text.replaceAll(one, SECRET_MASK), value)
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, texts))
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const [key, item] of Object.entries(value)) copy[withoutTexts(key, texts) as string] = withoutTexts(item, texts)
  return copy
}
