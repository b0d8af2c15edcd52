/** Compiles calls: of listed functions by name, and of listed methods by the type of their value. */
import type {
  ArrowFunctionExpression,
  CallExpression,
  Expression,
  MemberExpression,
  NewExpression,
  SpreadElement,
} from 'acorn'
import { ARRAY_METHODS } from '../functions/array-methods.ts'
import { DATE_METHODS } from '../functions/date-methods.ts'
import { GLOBAL_FUNCTIONS, NAMESPACE_FUNCTIONS, NAMESPACE_NAMES, newDate } from '../functions/global-functions.ts'
import type { Arguments, GlobalFunction, Method, Methods } from '../functions/method.ts'
import { NUMBER_METHODS } from '../functions/number-methods.ts'
import { STRING_METHODS } from '../functions/string-methods.ts'
import { MISSING } from '../values/bindings.ts'
import { nameOfType } from '../values/conversion.ts'
import { DateValue } from '../values/date-value.ts'
import { CODE_STEP_HINT, fail } from '../values/errors.ts'
import type { Callback, Compute, Evaluation } from '../values/evaluation.ts'
import { SHORT_CIRCUIT } from '../values/read-property.ts'
import { compileArrow } from './compile-arrow.ts'
import { addAll, compileElement } from './compile-literal.ts'
import { objectOf, qualifiedName } from './compile-reference.ts'
import type { Compiler, Reference } from './compiler.ts'

type Listed = Pick<Method<never>, 'arity' | 'callback'>

export function compileCall(compiler: Compiler, node: CallExpression): Compute {
  if (node.optional) compiler.refuse(node, 'Functions always exist here, so ?.( has no use', 'Write a?.b() instead.')
  const { callee } = node
  const called = globalFunction(compiler, callee as Expression)
  if (called !== undefined) return compileFunctionCall(compiler, node, called)
  if (callee.type === 'MemberExpression') return compileMethodCall(compiler, node, callee)
  if (callee.type === 'Identifier') {
    const hint = callee.name === 'Date' ? DATE_HINT : CODE_STEP_HINT
    return compiler.refuse(node, `${callee.name} is not a function that expressions have`, hint)
  }
  return compiler.refuse(node, 'Only named functions and methods can be called in expressions')
}

const DATE_HINT = 'The time is now(); for calculations write Date.parse(now()), for other times new Date(text).'

export function compileNew(compiler: Compiler, node: NewExpression): Compute {
  if (!compiler.isFree(node.callee) || node.callee.name !== 'Date') {
    compiler.refuse(node, 'Only new Date(…) can be created with `new` in expressions')
  }
  if (node.arguments.length !== 1) compiler.refuse(node, 'new Date takes exactly one argument here', DATE_HINT)
  return compileFunctionCall(compiler, node, newDate)
}

/** Finds a function that is named directly: `parseInt`, `Math.max`. */
function globalFunction(compiler: Compiler, node: Expression): GlobalFunction | undefined {
  if (compiler.isFree(node)) return GLOBAL_FUNCTIONS.get(node.name)
  if (node.type !== 'MemberExpression' || !compiler.isFree(node.object) || !NAMESPACE_NAMES.has(node.object.name)) {
    return undefined
  }
  const name = qualifiedName(compiler, node)
  const called = NAMESPACE_FUNCTIONS.get(name)
  if (called !== undefined) return called
  if (name === 'Date.now') compiler.refuse(node, 'Date.now() cannot be used in expressions', DATE_HINT)
  if (name === 'Math.random') compiler.refuse(node, 'Math.random() cannot be used in expressions', RANDOM_HINT)
  return compiler.refuse(node, `${name} is not a function that expressions have`)
}

const RANDOM_HINT = 'uuid() gives a random id that stays the same when a step is retried.'

function compileFunctionCall(
  compiler: Compiler,
  node: CallExpression | NewExpression,
  called: GlobalFunction,
): Compute {
  const before = compiler.references.length
  const args = compileArguments(compiler, node, called)
  if (called.readsFiles === 'always') compiler.readsFile = true
  else if (called.readsFiles && compiler.references.slice(before).some(isFileReference)) compiler.readsFile = true
  return (run) => called.call(run, args(run))
}

/** Of other references nobody knows before the run whether they are files. */
const isFileReference = ({ path: [root, name, ...rest] }: Reference): boolean =>
  root === 'webhook' && ((name === 'file' && rest.length === 0) || (name === 'files' && rest.length === 1))

interface MethodsByType {
  text?: Method<string>
  list?: Method<readonly unknown[]>
  number?: Method<number>
  date?: Method<DateValue>
}

const METHODS = new Map<string, MethodsByType>()
listMethods('text', STRING_METHODS)
listMethods('list', ARRAY_METHODS)
listMethods('number', NUMBER_METHODS)
listMethods('date', DATE_METHODS)

function listMethods<T extends keyof MethodsByType>(
  type: T,
  methods: Methods<never> & Record<string, MethodsByType[T]>,
) {
  for (const [name, method] of Object.entries(methods)) METHODS.set(name, { ...METHODS.get(name), [type]: method })
}

function compileMethodCall(compiler: Compiler, node: CallExpression, callee: MemberExpression): Compute {
  if (callee.computed || callee.property.type !== 'Identifier') {
    return compiler.refuse(node, 'A method is called by its name', 'Write x.trim(), for example.')
  }
  const { name } = callee.property
  const methods = METHODS.get(name) ?? compiler.refuse(callee.property, `There is no method ${name} in expressions`)
  const self = compiler.compile(objectOf(compiler, callee))
  const args = compileArguments(compiler, node, combined(methods))
  const writtenSelf = compiler.written(callee.object)
  const written = compiler.written(node)
  return (run) => {
    const value = self(run)
    if (value === SHORT_CIRCUIT) return value
    if (value === MISSING || value === null) {
      if (callee.optional) return SHORT_CIRCUIT
      if (value === MISSING) throw run.missingError()
    }
    const result = callMethod(run, methods, name, value, args, writtenSelf)
    if (result === MISSING) run.lacks(written)
    return result
  }
}

function callMethod(
  run: Evaluation,
  { text, list, number, date }: MethodsByType,
  name: string,
  value: unknown,
  args: (run: Evaluation) => Arguments,
  writtenSelf: string,
): unknown {
  if (typeof value === 'string' && text !== undefined) return text.call(run, value, args(run))
  if (Array.isArray(value) && list !== undefined) return list.call(run, value, args(run))
  if (typeof value === 'number' && number !== undefined) return number.call(run, value, args(run))
  if (value instanceof DateValue && date !== undefined) return date.call(run, value, args(run))
  return fail(`${writtenSelf} is ${nameOfType(value)}, which has no method ${name}`, methodHint(value))
}

function methodHint(value: unknown): string {
  const known = (type: keyof MethodsByType) => [...METHODS].filter(([, methods]) => methods[type]).map(([name]) => name)
  if (typeof value === 'string') return `Text has ${known('text').join(', ')}.`
  if (Array.isArray(value)) return `Lists have ${known('list').join(', ')}.`
  if (typeof value === 'number') return `Numbers have ${known('number').join(', ')}.`
  if (value instanceof DateValue) return `Dates have ${known('date').join(', ')}.`
  return 'Objects have no methods; use Object.keys(x), Object.values(x) or Object.entries(x).'
}

/** Returns what holds for every type that the value may have. */
function combined({ text, list, number, date }: MethodsByType): Listed {
  const methods: Listed[] = [text, list, number, date].filter((method) => method !== undefined)
  return {
    arity: [Math.min(...methods.map(({ arity }) => arity[0])), Math.max(...methods.map(({ arity }) => arity[1]))],
    callback: methods.find(({ callback }) => callback !== undefined)?.callback,
  }
}

function compileArguments(compiler: Compiler, node: CallExpression | NewExpression, { arity, callback }: Listed) {
  const given = node.arguments
  const [least, most] = arity
  const hasSpread = given.some(({ type }) => type === 'SpreadElement')
  if ((given.length < least && !hasSpread) || given.length > most) {
    const name = compiler.written(node.callee)
    const wanted = least === most ? `${least}` : given.length < least ? `at least ${least}` : `at most ${most}`
    compiler.refuse(node, `${name} takes ${wanted} argument${wanted.endsWith(' 1') || wanted === '1' ? '' : 's'}`)
  }
  const adders = given.map((argument, index) => {
    if (callback?.at !== index) return compileElement(compiler, argument)
    const called = compileCallback(compiler, argument)
    if (called !== undefined) return (_run: Evaluation, list: unknown[]) => void list.push(called)
    if (callback.required) {
      compiler.refuse(
        argument,
        `${compiler.written(node.callee)} takes a function here`,
        'For example item => item.id.',
      )
    }
    return compileElement(compiler, argument)
  })
  return (run: Evaluation): Arguments => {
    const args = addAll<unknown[]>(run, adders, [])
    // The length of a spread list is known only now.
    if (args.length < least) fail(`${compiler.written(node.callee)} takes at least ${least} arguments`)
    return args
  }
}

/** Compiles an arrow function, or a function's name as in `filter(Boolean)`. */
function compileCallback(compiler: Compiler, node: Expression | SpreadElement): Callback | undefined {
  if (node.type === 'SpreadElement') return undefined
  if (node.type === 'ArrowFunctionExpression') return compileArrow(compiler, node as ArrowFunctionExpression)
  const called = globalFunction(compiler, node)
  if (called === undefined) return undefined
  const most = called.arity[1]
  return (run, a, b, c, d) => {
    run.work(2)
    return called.call(run, [a, b, c, d].filter((argument) => argument !== undefined).slice(0, most))
  }
}
