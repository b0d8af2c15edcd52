import type { ArrayExpression, Literal, ObjectExpression, Property, SpreadElement, TemplateLiteral } from 'acorn'
import { joinTexts } from '../functions/string-methods.ts'
import { nameOfType, toKey, toText } from '../values/conversion.ts'
import { DateValue } from '../values/date-value.ts'
import { fail } from '../values/errors.ts'
import { type Compute, ELEMENT_SIZE, type Evaluation, needed, PROPERTY_SIZE } from '../values/evaluation.ts'
import { newObject } from '../values/read-property.ts'
import type { Compiler } from './compiler.ts'

export function compileLiteral(compiler: Compiler, node: Literal): Compute {
  if (node.regex !== undefined) {
    compiler.refuse(node, 'Regular expressions cannot be used in expressions', REGEX_HINT)
  }
  if (node.bigint !== undefined) compiler.refuse(node, 'BigInt numbers cannot be used in expressions')
  const { value } = node
  return () => value
}

const REGEX_HINT = 'Use includes, startsWith, split or replaceAll with text, or a code step for regular expressions.'

export function compileTemplateLiteral(compiler: Compiler, node: TemplateLiteral): Compute {
  const texts = node.quasis.map(({ value }) => value.cooked ?? '')
  const values = node.expressions.map((expression) => compiler.compile(expression))
  return (run) => {
    let result = texts[0]!
    for (let index = 0; index < values.length; index++) {
      const text = toText(needed(run, values[index]!(run)))
      result = joinTexts(run, joinTexts(run, result, text), texts[index + 1]!)
    }
    return result
  }
}

type AddTo<Target> = (run: Evaluation, target: Target) => void

export function compileArray(compiler: Compiler, node: ArrayExpression): Compute {
  const adders = node.elements.map((element) => {
    if (element === null) return compiler.refuse(node, 'A list cannot have empty places', 'Write null there.')
    return compileElement(compiler, element)
  })
  return (run) => addAll(run, adders, [])
}

/** Compiles an element of a list or an argument of a call. */
export function compileElement(
  compiler: Compiler,
  element: SpreadElement | Parameters<Compiler['compile']>[0],
): AddTo<unknown[]> {
  if (element.type !== 'SpreadElement') {
    const compute = compiler.compile(element)
    return (run, list) => {
      run.grow(ELEMENT_SIZE)
      list.push(needed(run, compute(run)))
    }
  }
  const compute = compiler.compile(element.argument)
  return (run, list) => {
    const value = needed(run, compute(run))
    if (!Array.isArray(value) && typeof value !== 'string')
      fail(`Only a list can be spread here, not ${nameOfType(value)}`)
    run.work(typeof value === 'string' ? value.length * 4 : value.length)
    run.grow(ELEMENT_SIZE * value.length)
    for (const item of value) list.push(item)
  }
}

export function addAll<Target>(run: Evaluation, adders: readonly AddTo<Target>[], target: Target): Target {
  for (const add of adders) add(run, target)
  return target
}

export function compileObject(compiler: Compiler, node: ObjectExpression): Compute {
  const adders = node.properties.map((property) =>
    property.type === 'SpreadElement' ? compileSpread(compiler, property) : compileProperty(compiler, property),
  )
  return (run) => {
    run.work(10)
    return addAll(run, adders, newObject())
  }
}

function compileProperty(compiler: Compiler, property: Property): AddTo<Record<string, unknown>> {
  if (property.kind !== 'init' || property.method) {
    compiler.refuse(property, 'An object in an expression can hold values only, no methods, getters or setters')
  }
  const key = compileKey(compiler, property)
  const compute = compiler.compile(property.value)
  return (run, object) => {
    const name = typeof key === 'string' ? key : toKey(run, needed(run, key(run)))
    run.work(3)
    run.grow(PROPERTY_SIZE)
    object[name] = needed(run, compute(run))
  }
}

function compileKey(compiler: Compiler, { computed, key }: Property): string | Compute {
  if (!computed && key.type === 'Identifier') return key.name
  if (!computed && key.type === 'Literal') return String(key.value)
  return compiler.compile(key)
}

function compileSpread(compiler: Compiler, { argument }: SpreadElement): AddTo<Record<string, unknown>> {
  const compute = compiler.compile(argument)
  return (run, object) => {
    const value = needed(run, compute(run))
    if (typeof value === 'string' || Array.isArray(value) || value instanceof DateValue) {
      fail(`Only an object can be spread here, not ${nameOfType(value)}`)
    }
    // As in JavaScript, null, numbers and booleans add nothing, so that `...(test && {…})` works.
    if (typeof value !== 'object' || value === null) return
    run.properties(Object.keys(value).length)
    Object.assign(object, value)
  }
}
