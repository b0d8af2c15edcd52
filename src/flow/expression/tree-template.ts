/** Renders JSON values with templates in their strings as a tree, so that no inserted value can break the JSON. */
import type { Reference } from './compile/compiler.ts'
import { type Expression, parseTemplate, type Template } from './parse-template.ts'
import { renderWith } from './render.ts'
import type { Bindings } from './values/bindings.ts'
import { TemplateSyntaxError } from './values/errors.ts'
import { Evaluation } from './values/evaluation.ts'
import { newObject } from './values/read-property.ts'

export type TreeTemplate =
  | { kind: 'constant'; value: unknown }
  | { kind: 'template'; template: Template }
  | { kind: 'list'; items: readonly TreeTemplate[] }
  | { kind: 'object'; entries: readonly (readonly [key: string, value: TreeTemplate])[] }

const MAX_TREE_DEPTH = 500

/** Compiles the strings of a value; object keys are literal. */
export function compileTree(value: unknown, parse: Parse = parseTemplate): TreeTemplate {
  return compileAt(value, [], parse)
}

type Parse = (source: string) => Template

function compileAt(value: unknown, path: string[], parse: Parse): TreeTemplate {
  if (typeof value === 'string') return compileText(value, path, parse)
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value }
  if (path.length >= MAX_TREE_DEPTH)
    throw new TemplateSyntaxError('The value is nested too deep', 0, 'Make it flatter.', path)
  if (Array.isArray(value)) {
    return { kind: 'list', items: value.map((item, index) => compileAt(item, [...path, String(index)], parse)) }
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return {
    kind: 'object',
    entries: entries.map(([key, item]) => [key, compileAt(item, [...path, key], parse)] as const),
  }
}

function compileText(text: string, path: string[], parse: Parse): TreeTemplate {
  try {
    const template = parse(text)
    return text.includes('{{') ? { kind: 'template', template } : { kind: 'constant', value: text }
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    throw new TemplateSyntaxError(error.message, error.position, error.hint, path)
  }
}

export function renderTree(tree: TreeTemplate, bindings: Bindings): unknown {
  return renderNode(new Evaluation(bindings), tree)
}

/** Makes new lists and objects each time, because the caller may change them. */
function renderNode(run: Evaluation, tree: TreeTemplate): unknown {
  switch (tree.kind) {
    case 'constant':
      return tree.value
    case 'template':
      return renderWith(run, tree.template)
    case 'list':
      return tree.items.map((item) => renderNode(run, item))
    case 'object': {
      const object = newObject()
      for (const [key, item] of tree.entries) object[key] = renderNode(run, item)
      return object
    }
  }
}

export function treeReferences(tree: TreeTemplate): Reference[] {
  switch (tree.kind) {
    case 'constant':
      return []
    case 'template':
      return tree.template.parts
        .filter((part): part is Expression => typeof part !== 'string')
        .flatMap(({ references }) => references)
    case 'list':
      return tree.items.flatMap(treeReferences)
    case 'object':
      return tree.entries.flatMap(([, item]) => treeReferences(item))
  }
}
