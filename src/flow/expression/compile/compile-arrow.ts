/** Compiles arrow functions: callbacks with an expression body, whose parameters live in numbered slots. */
import type { ArrowFunctionExpression, Expression, Pattern } from 'acorn'
import { MISSING } from '../values/bindings.ts'
import { nameOfType } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import type { Callback, Compute, Evaluation } from '../values/evaluation.ts'
import { readProperty } from '../values/read-property.ts'
import type { Compiler } from './compiler.ts'

type Bind = (run: Evaluation, value: unknown) => void

export function compileArrow(compiler: Compiler, node: ArrowFunctionExpression): Callback {
  if (node.async) compiler.refuse(node, '`async` functions cannot be used in expressions')
  if (node.body.type === 'BlockStatement') {
    compiler.refuse(
      node.body,
      'An arrow function has one expression as its body here',
      'Write x => x.id, or use a code step.',
    )
  }
  if (node.params.length > 4) compiler.refuse(node, 'No method gives its function more than four arguments')
  const before = compiler.nodeCount
  return compiler.withBindings(() => {
    const binds = node.params.map((parameter) => compileParameter(compiler, parameter))
    const body = compiler.compile(node.body as Expression)
    // The cost is charged once per call: the length of the source bounds the work in between.
    const cost = 3 + Math.ceil((compiler.nodeCount - before) / 2)
    return bindAndRun(binds, body, cost)
  })
}

/** There is one function per number of parameters, because loops spend their time here. */
function bindAndRun([first, second, third, fourth]: Bind[], body: Compute, cost: number): Callback {
  if (first === undefined) {
    return (run) => {
      run.work(cost)
      return body(run)
    }
  }
  if (second === undefined) {
    return (run, a) => {
      run.work(cost)
      first(run, a)
      return body(run)
    }
  }
  return (run, a, b, c, d) => {
    run.work(cost)
    first(run, a)
    second(run, b)
    third?.(run, c)
    fourth?.(run, d)
    return body(run)
  }
}

function compileParameter(compiler: Compiler, pattern: Pattern): Bind {
  switch (pattern.type) {
    case 'Identifier': {
      const slot = compiler.declare(pattern.name)
      return (run, value) => {
        run.slots[slot] = value === undefined ? MISSING : value
      }
    }
    case 'ArrayPattern': {
      const binds = pattern.elements.map((element) => element && compileParameter(compiler, element))
      return (run, value) => {
        if (!Array.isArray(value)) return fail(`[…] as a parameter takes a list apart, not ${nameOfType(value)}`)
        binds.forEach((bind, index) => {
          bind?.(run, index < value.length ? value[index] : MISSING)
        })
      }
    }
    case 'ObjectPattern':
      return compileObjectPattern(compiler, pattern)
    default:
      return compiler.refuse(
        pattern,
        'Parameters can be names, [a, b] or {a, b}, without defaults or rest',
        NO_DEFAULTS,
      )
  }
}

const NO_DEFAULTS = "Write x => x.name ?? 'none' for a default, or use a code step."

function compileObjectPattern(compiler: Compiler, pattern: Pattern & { type: 'ObjectPattern' }): Bind {
  const binds = pattern.properties.map((property) => {
    if (property.type === 'RestElement' || property.computed || property.key.type !== 'Identifier') {
      return compiler.refuse(
        property,
        'Parameters can be names, [a, b] or {a, b}, without defaults or rest',
        NO_DEFAULTS,
      )
    }
    const key = property.key.name
    const bind = compileParameter(compiler, property.value)
    return (run: Evaluation, value: unknown) => bind(run, readProperty(run, value, key, key))
  })
  return (run, value) => {
    if (typeof value !== 'object' || value === null) {
      fail(`{…} as a parameter takes an object apart, not ${nameOfType(value)}`)
    }
    for (const bind of binds) bind(run, value)
  }
}
