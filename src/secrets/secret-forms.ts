// Lists the forms that a secret may have inside a text, before the text is decoded.
import { decoded } from './encodings.ts'
import { LONGEST_PATTERN } from './pattern-search.ts'

/** A shorter form would be found by chance. */
export const SHORTEST_FORM = 6

/**
 * Returns the secret, in other letter cases and with spaces as forms send them; its base64, alone or inside a longer text,
 * once or twice; its bytes in hexadecimal; and each as it looks after a seeming encoding is removed.
 */
export function secretForms(secret: string): Set<string> {
  const plain = [secret, secret.toLowerCase(), secret.toUpperCase(), secret.replaceAll(' ', '+')]
  const forms = new Set(plain)
  for (const form of plain) {
    let inner = decoded(form)
    for (let layers = 2; inner !== null && layers > 0; layers--) {
      if (inner.length >= SHORTEST_FORM) forms.add(inner)
      inner = decoded(inner)
    }
  }
  const hex = Buffer.from(secret).toString('hex')
  forms.add(hex).add(hex.toUpperCase())
  // Clients of OAuth send the secret percent-encoded inside base64, and JSON Web Tokens hold it inside JSON.
  const inside = [secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)]
  for (const text of new Set(inside))
    for (const core of base64Cores(text)) {
      forms.add(core)
      if (text === secret) for (const again of base64Cores(core)) forms.add(again)
    }
  const pieces = new Set<string>()
  for (const form of forms) for (const piece of piecesOf(form)) pieces.add(piece)
  return pieces
}

/** Splits a form that exceeds the longest pattern into pieces, which also find it in a text that is cut off inside it. */
function* piecesOf(form: string): Iterable<string> {
  if (form.length <= LONGEST_PATTERN) return yield form
  for (let end = LONGEST_PATTERN; end < form.length; end += LONGEST_PATTERN)
    yield form.slice(end - LONGEST_PATTERN, end)
  yield form.slice(-LONGEST_PATTERN)
}

const percentEncoded = (text: string): string => encodeURIComponent(text.toWellFormed())

function* base64Cores(text: string): Iterable<string> {
  const bytes = Buffer.from(text)
  for (let before = 0; before < 3; before++) {
    const core = base64Core(bytes, before)
    yield core
    if (/[+/]/.test(core)) yield core.replaceAll('+', '-').replaceAll('/', '_')
  }
}

/** Returns the characters that depend only on these bytes if `before` other bytes (modulo three) precede them. */
function base64Core(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
