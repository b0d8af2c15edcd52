// Flow files: YAML or JSON, one flow per file; a fixture beside it is none.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FlowTextError, parseFlowText } from '../../flow/flow-text.ts'
import { CliError, EXIT } from '../exit-code.ts'

export interface FlowFile {
  path: string
  text: string
  document: unknown
}

const FLOW_FILE = /\.(ya?ml|json)$/
const OTHER_FILE = /\.test\.ya?ml$|^\./

/** The flow files of a folder, also of those below it, in the order of their names. */
export function listFlowFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && FLOW_FILE.test(entry.name) && !OTHER_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.split(/[\\/]/).includes('node_modules'))
    .toSorted()
}

/** Files as they are, folders as the flow files in them. */
export function flowPaths(given: readonly string[]): string[] {
  return [...new Set(given.flatMap((path) => (statSync(path).isDirectory() ? listFlowFiles(path) : [path])))]
}

export function readFlowFile(path: string): FlowFile {
  const text = readFileSync(path, 'utf8')
  return { path, text, document: parseDocument(path, text) }
}

export function parseDocument(path: string, text: string): unknown {
  try {
    return parseFlowText(text)
  } catch (error) {
    if (!(error instanceof FlowTextError)) throw error
    throw new CliError(EXIT.failed, 'flow_unreadable', `${path}, line ${error.line}: ${error.message}`)
  }
}
