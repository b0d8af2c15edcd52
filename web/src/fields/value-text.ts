// A JSON value as one writes it into a field: text without quotes where that is plain, everything else as JSON.

export function valueToText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value, null, 2)
  return value === '' || readsOtherwise(value) ? JSON.stringify(value) : value
}

/** Whether text, written without quotes, would be taken for something else. */
function readsOtherwise(text: string): boolean {
  const read = textToValue(text)
  return !('value' in read) || read.value !== text
}

export type ReadText = { value: unknown } | { error: string }

export function textToValue(text: string): ReadText {
  const trimmed = text.trim()
  if (trimmed === '') return { value: undefined }
  // A template, alone or in front, is no JSON object.
  const looksLikeJson = /^(?:\{(?!\{)|\[|")/.test(trimmed) || /^(?:-?\d|true$|false$|null$)/.test(trimmed)
  if (!looksLikeJson) return { value: text }
  try {
    return { value: JSON.parse(trimmed) }
  } catch (error) {
    // `12 pieces` is text; an open bracket is JSON that is not finished.
    if (!/^[[{"]/.test(trimmed)) return { value: text }
    return { error: `Not valid JSON yet: ${reasonOf(error)}` }
  }
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(
    /^JSON\.parse: |, "[\s\S]*$| in JSON at position.*$/g,
    '',
  )

/** A number, a template, or nothing where the text is empty; null for what is neither. */
export function textToNumber(text: string): number | string | undefined | null {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (trimmed.includes('{{')) return text
  return /^-?\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : null
}

/** What a condition field holds: one expression in braces, or true or false. */
export function textToCondition(text: string): string | boolean {
  const trimmed = text.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  return text
}

/** A comparison written without its braces gets them. */
export function inBraces(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || /^\{\{\s*\}\}$/.test(trimmed)) return ''
  return trimmed.includes('{{') || trimmed === 'true' || trimmed === 'false' ? text : `{{ ${trimmed} }}`
}
