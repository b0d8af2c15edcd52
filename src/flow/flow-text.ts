// Reads flow documents from YAML or JSON and writes YAML, without loss either way.
import { constructFromEvents, dump, parseEvents, YAMLException } from 'js-yaml'

export class FlowTextError extends Error {
  /** One-based position of the fault. */
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

const MAX_DEPTH = 250

/**
 * Reads a document; JSON is YAML too. Does not check its shape. Refuses aliases unless the caller allows them: a few bytes
 * of them become a document without end.
 */
export function parseFlowText(text: string, aliases: 'refused' | 'taken' = 'refused'): unknown {
  let documents: unknown[]
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH })
    documents = constructFromEvents(events, { source: text, maxAliases: aliases === 'refused' ? 0 : -1 })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw new FlowTextError(inOurWords(error.reason), (error.mark?.line ?? 0) + 1)
  }
  if (documents.length > 1) throw new FlowTextError('there is more than one document; send one at a time', 1)
  return documents[0] ?? null
}

function inOurWords(reason: string): string {
  if (reason.startsWith('aliases exceeded')) return 'aliases such as *name are not allowed; write out their values'
  if (reason.startsWith('nesting exceeded')) return `the document is nested more than ${MAX_DEPTH} levels deep`
  return reason
}

export function formatFlowYaml(document: unknown): string {
  return dump(document, { lineWidth: -1, noRefs: true, quoteStyle: 'double' })
}
