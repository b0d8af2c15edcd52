// Flow documents as text: YAML or JSON in, YAML out, without loss either way.
import { parse, stringify, YAMLParseError } from 'yaml'

export class FlowTextError extends Error {
  /** One-based position of the fault. */
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** Reads a document; JSON is YAML too. Shape is not checked here. */
export function parseFlowText(text: string): unknown {
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 100, uniqueKeys: true, prettyErrors: true })
  } catch (error) {
    if (error instanceof YAMLParseError) throw new FlowTextError(error.message, error.linePos?.[0].line ?? 1)
    throw new FlowTextError(error instanceof Error ? error.message : String(error), 1)
  }
  if (nestsDeeperThan(value, MAX_DEPTH))
    throw new FlowTextError(`the document is nested more than ${MAX_DEPTH} levels deep, or contains itself`, 1)
  return value
}

const MAX_DEPTH = 250

/** By aliases a YAML document can contain itself: then this goes down until the limit ends it. */
function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => nestsDeeperThan(item, levels - 1))
}

export function formatFlowYaml(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
