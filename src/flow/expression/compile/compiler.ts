/** The state that the parts of the compiler share while one expression is compiled. */
import type { AnyNode, Expression as Node } from 'acorn'
import { CODE_STEP_HINT, TemplateSyntaxError } from '../values/errors.ts'
import type { Compute } from '../values/evaluation.ts'

/** The static start of a member chain that begins at a root; offsets are in the template's source. */
export interface Reference {
  path: string[]
  start: number
  end: number
  /** The expression states that the value may be missing: by `?.`, a default, or a test for it. */
  optional?: true
}

// Evaluation recurses as deep as the source is nested; this is far below a stack overflow.
const MAX_SOURCE_DEPTH = 500
const LONGEST_QUOTE = 80

type CompileNode = (compiler: Compiler, node: Node) => Compute

export class Compiler {
  readonly references: Reference[] = []
  /** Whether the content of a file is read. */
  readsFile = false
  /** Counts the compiled nodes; their number in an arrow function's body is the cost of one call. */
  nodeCount = 0
  readonly #source: string
  readonly #offset: number
  readonly #compileNode: CompileNode
  readonly #bindings: Map<string, number>[] = []
  #slotCount = 0
  #optional = 0
  #depth = 0

  /** Node positions count from `offset` in `source`. */
  constructor(source: string, offset: number, compileNode: CompileNode) {
    this.#source = source
    this.#offset = offset
    this.#compileNode = compileNode
  }

  compile(node: Node): Compute {
    this.nodeCount++
    if (++this.#depth > MAX_SOURCE_DEPTH) {
      this.refuse(node, 'The expression is nested too deep', 'Set parts of it as vars first, or use a code step.')
    }
    const compute = this.#compileNode(this, node)
    this.#depth--
    return compute
  }

  /** Names declared by `declare` inside `body` are visible there only. */
  withBindings<T>(body: () => T): T {
    this.#bindings.push(new Map())
    const result = body()
    this.#bindings.pop()
    return result
  }

  declare(name: string): number {
    const slot = this.#slotCount++
    this.#bindings.at(-1)!.set(name, slot)
    return slot
  }

  slotOf(name: string): number | undefined {
    return this.#bindings.findLast((names) => names.has(name))?.get(name)
  }

  /** Returns whether the node is a global or root name that no arrow function's parameter hides. */
  isFree(node: AnyNode): node is AnyNode & { type: 'Identifier' } {
    return node.type === 'Identifier' && this.slotOf(node.name) === undefined
  }

  /** Compiles a node whose value may be missing. */
  compileOptional(node: Node): Compute {
    this.#optional++
    const compute = this.compile(node)
    this.#optional--
    return compute
  }

  /** Returns the source of a node as its author wrote it. */
  written(node: { start: number; end: number }): string {
    const text = this.#source.slice(this.#offset + node.start, this.#offset + node.end)
    return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
  }

  addReference(path: string[], node: { start: number; end: number }): void {
    const [start, end] = [this.#offset + node.start, this.#offset + node.end]
    this.references.push({ path, start, end, ...(this.#optional > 0 && { optional: true }) })
  }

  refuse(node: { start: number }, message: string, hint: string = CODE_STEP_HINT): never {
    throw new TemplateSyntaxError(message, this.#offset + node.start, hint)
  }
}
