import type { Evaluation } from './evaluation.ts'

// V8 looks only at the last 250 units of the part; a longer part makes its search quadratic.
const LONGEST_QUICK_PART = 250

/** Returns `text.indexOf(part, from)`, in linear time, and charges for the distance. */
export function findText(run: Evaluation, text: string, part: string, from: number): number {
  const head = part.length > LONGEST_QUICK_PART ? part.slice(0, LONGEST_QUICK_PART) : part
  let start = from
  for (;;) {
    const at = text.indexOf(head, start)
    run.work(10 + Math.max(0, (at === -1 ? text.length : at) - start) * 0.2)
    if (at === -1 || head === part) return at
    run.work(200 + (part.length >> 2))
    if (text.startsWith(part, at)) return at
    start = at + 1
  }
}

/** Returns the pieces of `text` between occurrences of `part`, at most `limit` of them. */
export function splitText(run: Evaluation, text: string, part: string, limit: number): string[] {
  if (limit === 0) return []
  if (part === '') {
    run.work(1 + Math.min(text.length, limit))
    return text.split('', limit)
  }
  const pieces: string[] = []
  let from = 0
  for (let at = findText(run, text, part, 0); at !== -1; at = findText(run, text, part, from)) {
    pieces.push(text.slice(from, at))
    if (pieces.length === limit) return pieces
    from = at + part.length
  }
  pieces.push(text.slice(from))
  return pieces
}
