// Parses a page of the guide into its blocks of code.
import { parseFlowText } from '../../src/flow/flow-text.ts'

export interface Block {
  language: string
  text: string
  line: number
  /** The flow that the page shows before the block, under the same heading; the block calls its webhook. */
  flow: object | null
  /** The JSON or text block right after it, which is its expected output. */
  output: Block | null
}

/** Returns every block, those in lists included. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let last: Block | null = null
  let end = 0
  for (const match of page.matchAll(/^#+ .*$|^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)) {
    const [, indent, language, body] = match
    if (indent === undefined) {
      last = null
      continue
    }
    const text = body!.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const flow: object | null = last?.language === 'yaml' ? triggerOf(last.text) : null
    const line = page.slice(0, match.index).split('\n').length
    const block: Block = { language: language!, text, line, flow, output: null }
    const isNext = page.slice(end, match.index).trim() === ''
    if (isNext && (language === 'json' || language === 'text') && last?.language === 'sh') last.output = block
    blocks.push(block)
    last = block
    end = match.index + match[0].length
  }
  return blocks
}

function triggerOf(text: string): object | null {
  const shown = parseFlowText(text) as object
  return 'trigger' in shown ? documentOf(shown) : null
}

/** Returns a complete flow around the part that a page shows. */
export function documentOf(shown: unknown): object | null {
  const trigger = { kind: 'webhook' }
  if (Array.isArray(shown)) return { name: 'Shown', trigger, steps: shown }
  const [key] = Object.keys(shown as object)
  if (key === 'name') return shown as object
  if (key === 'trigger') return { name: 'Shown', steps: [], ...(shown as object) }
  if (key === 'response' || key === 'dedupe' || (key === 'when' && !('body' in (shown as object))))
    return { name: 'Shown', trigger: { ...trigger, ...(shown as object) }, steps: [] }
  if (key === 'retry' || key === 'body')
    return {
      name: 'Shown',
      trigger,
      steps: [{ id: 'shown', kind: 'http', method: 'POST', url: 'https://api.example.com', ...(shown as object) }],
    }
  return null
}
