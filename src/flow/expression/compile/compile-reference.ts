/** Compiles names, and property and index access. */
import type { ChainExpression, Expression, Identifier, MemberExpression, Super } from 'acorn'
import { CONSTANTS, GLOBAL_FUNCTIONS, NAMESPACE_FUNCTIONS, NAMESPACE_NAMES } from '../functions/global-functions.ts'
import { isRoot, MISSING, ROOTS } from '../values/bindings.ts'
import { toKey } from '../values/conversion.ts'
import { type Compute, type Evaluation, needed } from '../values/evaluation.ts'
import { readProperty, SHORT_CIRCUIT } from '../values/read-property.ts'
import type { Compiler } from './compiler.ts'

export function compileIdentifier(compiler: Compiler, node: Identifier): Compute {
  const { name } = node
  const slot = compiler.slotOf(name)
  if (slot !== undefined) {
    return (run) => {
      const value = run.slots[slot]
      if (value === MISSING) run.lacks(name)
      return value
    }
  }
  if (isRoot(name)) {
    compiler.addReference([name], node)
    return compileRoot(name)
  }
  const constant = CONSTANTS.get(name)
  if (constant !== undefined) return () => constant
  if (name === 'undefined') {
    return (run) => {
      run.lacks(name)
      return MISSING
    }
  }
  if (GLOBAL_FUNCTIONS.has(name)) compiler.refuse(node, `${name} is a function; call it: ${name}(…)`, CALL_HINT)
  if (NAMESPACE_NAMES.has(name)) compiler.refuse(node, `${name} cannot be used by itself`, CALL_HINT)
  return compiler.refuse(
    node,
    `${name} is not known here`,
    `Data starts with one of ${ROOTS.join(', ')}; text needs quotes: '${name}'.`,
  )
}

// The limit bounds the recursion of an evaluation, which is one level per key.
const MAX_PATH_LENGTH = 200

const CALL_HINT = 'A function can be called, or given to a method such as map.'

function compileRoot(name: string): Compute {
  return (run) => {
    const { roots } = run.bindings
    const value = Object.hasOwn(roots, name) ? roots[name] : undefined
    if (value !== undefined) return value
    run.lacks(name)
    return MISSING
  }
}

export function compileMember(compiler: Compiler, node: MemberExpression): Compute {
  const constant = compileNamespaceMember(compiler, node)
  if (constant !== undefined) return constant
  const path = staticPath(compiler, node)
  if (path === undefined) return compileAccess(compiler, node, compiler.compile(objectOf(compiler, node)))
  if (path.length > MAX_PATH_LENGTH) compiler.refuse(node, 'The reference is too long')
  compiler.addReference(path, node)
  return compilePath(compiler, node)
}

/** Compiles a chain whose reference is already recorded. */
function compilePath(compiler: Compiler, node: Expression): Compute {
  if (node.type === 'ChainExpression') return endChain(compiler, node, compilePath(compiler, node.expression))
  if (node.type !== 'MemberExpression') return compileRoot((node as Identifier).name)
  compiler.nodeCount++
  return compileAccess(compiler, node, compilePath(compiler, objectOf(compiler, node)))
}

function compileAccess(compiler: Compiler, node: MemberExpression, object: Compute): Compute {
  const written = compiler.written(node)
  const key = staticKey(node)
  if (node.optional) {
    const read = key === undefined ? compileComputed(compiler, node, written) : undefined
    return (run) => {
      const base = object(run)
      if (base === MISSING || base === null || base === SHORT_CIRCUIT) return SHORT_CIRCUIT
      return read === undefined ? readProperty(run, base, key!, written) : read(run, base)
    }
  }
  if (key !== undefined) return (run) => readProperty(run, object(run), key, written)
  const read = compileComputed(compiler, node, written)
  return (run) => {
    const base = object(run)
    return base === SHORT_CIRCUIT ? base : read(run, base)
  }
}

function compileComputed(compiler: Compiler, node: MemberExpression, written: string) {
  const key = compiler.compile(node.property as Expression)
  return (run: Evaluation, base: unknown): unknown =>
    readProperty(run, base, toKey(run, needed(run, key(run))), written)
}

export function compileChain(compiler: Compiler, node: ChainExpression): Compute {
  return endChain(compiler, node, compiler.compileOptional(node.expression))
}

function endChain(compiler: Compiler, node: ChainExpression, compute: Compute): Compute {
  const written = compiler.written(node)
  return (run) => {
    const value = compute(run)
    if (value !== SHORT_CIRCUIT) return value
    run.lacks(written)
    return MISSING
  }
}

/** Compiles `Math.PI`; other members of a namespace are functions or do not exist. */
function compileNamespaceMember(compiler: Compiler, node: MemberExpression): Compute | undefined {
  if (!compiler.isFree(node.object) || !NAMESPACE_NAMES.has(node.object.name)) return undefined
  const name = qualifiedName(compiler, node)
  const constant = CONSTANTS.get(name)
  if (constant !== undefined) return () => constant
  if (NAMESPACE_FUNCTIONS.has(name)) compiler.refuse(node, `${name} is a function; call it: ${name}(…)`, CALL_HINT)
  return compiler.refuse(node, `${name} cannot be used in expressions`)
}

/** Returns the keys of a chain that begins at a root and is entirely literal. */
function staticPath(compiler: Compiler, chain: MemberExpression): string[] | undefined {
  const path: string[] = []
  let node: Expression | Super = chain
  while (node.type === 'ChainExpression' || node.type === 'MemberExpression') {
    if (node.type === 'MemberExpression') {
      const key = staticKey(node)
      if (key === undefined) return undefined
      path.push(key)
    }
    node = node.type === 'ChainExpression' ? node.expression : node.object
  }
  if (!compiler.isFree(node) || !isRoot(node.name)) return undefined
  return [...path, node.name].reverse()
}

function staticKey({ computed, property }: MemberExpression): string | undefined {
  if (!computed && property.type === 'Identifier') return property.name
  if (property.type === 'TemplateLiteral' && property.expressions.length === 0) {
    return property.quasis[0]?.value.cooked ?? undefined
  }
  const isKey =
    property.type === 'Literal' && (typeof property.value === 'string' || typeof property.value === 'number')
  return isKey ? String(property.value) : undefined
}

/** Returns `Math.max`, however it is spaced. */
export function qualifiedName(compiler: Compiler, node: MemberExpression): string {
  if (node.computed || node.property.type !== 'Identifier') return compiler.written(node)
  return `${compiler.written(node.object)}.${node.property.name}`
}

export function objectOf(compiler: Compiler, { object }: MemberExpression): Expression {
  return object.type === 'Super' ? compiler.refuse(object, '`super` cannot be used in expressions') : object
}
