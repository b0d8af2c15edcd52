/** Turns a syntax tree into closures, once. Syntax that is not listed here is not part of the language. */
import type { Expression as Node } from 'acorn'
import type { Compute } from '../values/evaluation.ts'
import { compileCall, compileNew } from './compile-call.ts'
import { compileArray, compileLiteral, compileObject, compileTemplateLiteral } from './compile-literal.ts'
import { compileBinary, compileConditional, compileLogical, compileUnary } from './compile-operator.ts'
import { compileChain, compileIdentifier, compileMember } from './compile-reference.ts'
import { Compiler, type Reference } from './compiler.ts'

export interface CompiledExpression {
  compute: Compute
  references: readonly Reference[]
  /** The expression is written as `raw(…)`: it is inserted into a URL as it is. */
  isRaw: boolean
  /** It reads the content of a file, which only the settings of a step can. */
  readsFile: boolean
}

export function compileExpression(source: string, offset: number, node: Node): CompiledExpression {
  const compiler = new Compiler(source, offset, compileNode)
  const compute = compiler.compile(node)
  const isRaw = node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'raw'
  return { compute, references: compiler.references, isRaw, readsFile: compiler.readsFile }
}

function compileNode(compiler: Compiler, node: Node): Compute {
  switch (node.type) {
    case 'Literal':
      return compileLiteral(compiler, node)
    case 'TemplateLiteral':
      return compileTemplateLiteral(compiler, node)
    case 'ArrayExpression':
      return compileArray(compiler, node)
    case 'ObjectExpression':
      return compileObject(compiler, node)
    case 'Identifier':
      return compileIdentifier(compiler, node)
    case 'MemberExpression':
      return compileMember(compiler, node)
    case 'ChainExpression':
      return compileChain(compiler, node)
    case 'CallExpression':
      return compileCall(compiler, node)
    case 'NewExpression':
      return compileNew(compiler, node)
    case 'UnaryExpression':
      return compileUnary(compiler, node)
    case 'BinaryExpression':
      return compileBinary(compiler, node)
    case 'LogicalExpression':
      return compileLogical(compiler, node)
    case 'ConditionalExpression':
      return compileConditional(compiler, node)
    case 'ArrowFunctionExpression':
      return compiler.refuse(
        node,
        'An arrow function can only be given to a method that calls it',
        'For example items.map(item => item.id).',
      )
    case 'AssignmentExpression':
      return compiler.refuse(
        node,
        'Expressions cannot assign',
        'To compare, write ==. To keep a value, use a set step.',
      )
    case 'UpdateExpression':
      return compiler.refuse(
        node,
        `Expressions cannot change a value with ${node.operator}`,
        `Write x ${node.operator[0]} 1.`,
      )
    case 'SequenceExpression':
      return compiler.refuse(
        node,
        'Only one expression is allowed between {{ and }}',
        'Write {{ a }}{{ b }}, or [a, b].',
      )
    default:
      return compiler.refuse(node, `${NAMES[node.type] ?? node.type} cannot be used in expressions`)
  }
}

const NAMES: Readonly<Partial<Record<Node['type'], string>>> = {
  ThisExpression: '`this`',
  FunctionExpression: '`function`',
  ClassExpression: '`class`',
  TaggedTemplateExpression: 'A tagged template string',
  ImportExpression: '`import()`',
  MetaProperty: '`import.meta` or `new.target`',
  AwaitExpression: '`await`',
  YieldExpression: '`yield`',
}
