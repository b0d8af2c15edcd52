import { optionalResolver } from '../compile.ts'
import type { CompiledLabels } from './labels.ts'

/** Returns null if there are none, so that a flow without labels costs nothing. */
export function compileLabels(labels: Record<string, unknown> | undefined): CompiledLabels | null {
  const entries = Object.entries(labels ?? {})
  return entries.length ? entries.map(([name, value]) => [name, optionalResolver(value)] as const) : null
}
