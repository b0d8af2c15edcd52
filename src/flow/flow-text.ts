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
  try {
    return parse(text, { maxAliasCount: 100, uniqueKeys: true, prettyErrors: true })
  } catch (error) {
    if (error instanceof YAMLParseError) throw new FlowTextError(error.message, error.linePos?.[0].line ?? 1)
    throw new FlowTextError(error instanceof Error ? error.message : String(error), 1)
  }
}

export function formatFlowYaml(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
