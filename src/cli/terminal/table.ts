// Rows lined up for people; the last column gives way where the terminal is too narrow.
import { stripVTControlCharacters } from 'node:util'
import type { Terminal } from './terminal.ts'
import { inOneLine } from './visible.ts'

const GAP = '  '

export function table(terminal: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head.map((title) => terminal.style('dim', title)), ...rows.map((cells) => cells.map(inOneLine))]
  const widths = head.map((_, i) => Math.max(...lines.map((cells) => widthOf(cells[i]!))))
  return lines.map((cells) => lineOf(cells, widths, terminal.columns)).join('\n')
}

/** Names with their values, one per line. */
export function fields(terminal: Terminal, pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `${terminal.style('dim', name.padEnd(width))}${GAP}${inOneLine(value)}`)
    .join('\n')
}

function lineOf(cells: readonly string[], widths: readonly number[], columns: number): string {
  const last = cells.length - 1
  const line = cells.map((cell, i) => (i === last ? cell : cell + ' '.repeat(widths[i]! - widthOf(cell)))).join(GAP)
  const overhang = widthOf(line) - columns
  const shortened = widthOf(cells[last]!) - overhang
  // Colours would be cut apart: a cell that has some stays whole.
  if (overhang <= 0 || shortened < 10 || widthOf(cells[last]!) !== cells[last]!.length) return line.trimEnd()
  return `${line.slice(0, line.length - overhang - 1)}…`
}

const widthOf = (text: string): number => stripVTControlCharacters(text).length
