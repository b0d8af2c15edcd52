// Reads the imports of source files from their text, of values and types alike.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Returns the files that a file imports by a relative path. */
export const importsOf = (file: string): string[] => [
  ...new Set(
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, name]) =>
      resolve(dirname(file), name!),
    ),
  ),
]

/** Returns groups of files that import one another, directly or through others (Tarjan's algorithm). */
export function cyclesOf(files: readonly string[], targetsOf: (file: string) => readonly string[]): string[][] {
  const known = new Set(files)
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file)!)
    stack.push(file)
    for (const target of targetsOf(file)) {
      if (!known.has(target)) continue
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!))
    }
    if (low.get(file) !== index.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1 || targetsOf(file).includes(file)) cycles.push(group.toSorted())
  }
  for (const file of files) if (!index.has(file)) visit(file)
  return cycles
}
