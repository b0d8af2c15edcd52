// What changes from one text to another, line by line, with a little of what is around it.
import type { Terminal } from './terminal.ts'

interface Line {
  sign: ' ' | '-' | '+'
  text: string
}

const CONTEXT = 2

/** Empty where nothing changes. */
export function lineDiff(terminal: Terminal, before: string, after: string): string[] {
  const lines = changes(before.trimEnd().split('\n'), after.trimEnd().split('\n'))
  const shown = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
  const output: string[] = []
  for (const [i, { sign, text }] of lines.entries()) {
    if (!shown[i]) {
      if (shown[i + 1] && output.length) output.push(terminal.style('dim', '  …'))
      continue
    }
    const line = `${sign} ${text}`
    output.push(sign === ' ' ? line : terminal.style(sign === '+' ? 'green' : 'red', line))
  }
  return output
}

/** By the longest sequence of lines that both have. */
function changes(before: readonly string[], after: readonly string[]): Line[] {
  const [a, b] = [before.length, after.length]
  // common[i][j]: how many lines before[i…] and after[j…] share at most.
  const common = Array.from({ length: a + 1 }, () => new Uint32Array(b + 1))
  for (let i = a - 1; i >= 0; i--)
    for (let j = b - 1; j >= 0; j--)
      common[i]![j] =
        before[i] === after[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < a || j < b) {
    if (i < a && j < b && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i++]! })
      j++
    } else if (i < a && (j === b || common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ sign: '-', text: before[i++]! })
    else lines.push({ sign: '+', text: after[j++]! })
  }
  return lines
}
