/** Every function and constant that an expression may name besides the roots. */
import { decodeBase64 } from '../values/base64.ts'
import { isTruthy, toInteger, toNumber, toText } from '../values/conversion.ts'
import { DateValue, parseDate } from '../values/date-value.ts'
import { fail } from '../values/errors.ts'
import type { Evaluation } from '../values/evaluation.ts'
import { COLLECTION_FUNCTIONS } from './collection-functions.ts'
import { FILE_FUNCTIONS } from './file-functions.ts'
import { FORMAT_FUNCTIONS } from './format-functions.ts'
import type { Arguments, GlobalFunction } from './method.ts'
import { ARRAY_FUNCTIONS, JSON_FUNCTIONS, OBJECT_FUNCTIONS } from './object-functions.ts'
import { PATTERN_FUNCTIONS } from './pattern-functions.ts'
import { TIME_FUNCTIONS } from './time-functions.ts'

const ANY_NUMBER = Number.POSITIVE_INFINITY

const UNARY_MATH = [
  'abs',
  'acos',
  'acosh',
  'asin',
  'asinh',
  'atan',
  'atanh',
  'cbrt',
  'ceil',
  'clz32',
  'cos',
  'cosh',
  'exp',
  'expm1',
  'floor',
  'fround',
  'log',
  'log10',
  'log1p',
  'log2',
  'round',
  'sign',
  'sin',
  'sinh',
  'sqrt',
  'tan',
  'tanh',
  'trunc',
] as const
const BINARY_MATH = ['atan2', 'imul', 'pow'] as const
const MATH_CONSTANTS = ['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2'] as const
const NUMBER_CONSTANTS = [
  'EPSILON',
  'MAX_SAFE_INTEGER',
  'MAX_VALUE',
  'MIN_SAFE_INTEGER',
  'MIN_VALUE',
  'NEGATIVE_INFINITY',
  'NaN',
  'POSITIVE_INFINITY',
] as const
const NUMBER_TESTS = ['isFinite', 'isInteger', 'isNaN', 'isSafeInteger'] as const

const parseFloatFunction = reading(1, (text) => Number.parseFloat(text))
const parseIntFunction: GlobalFunction = {
  arity: [1, 2],
  call(run, [given, radix]) {
    const text = toText(given)
    run.work(1 + (text.length >> 4))
    return Number.parseInt(text, radix === undefined ? undefined : toInteger(run, radix, 0))
  },
}

type Functions = Readonly<Record<string, GlobalFunction>>

export const GLOBAL_FUNCTIONS: ReadonlyMap<string, GlobalFunction> = new Map(
  Object.entries<GlobalFunction>({
    Boolean: { arity: [1, 1], call: (_run, [value]) => isTruthy(value) },
    Number: { arity: [1, 1], call: (run, [value]) => toNumber(run, value) },
    String: { arity: [1, 1], call: (_run, [value]) => toText(value) },
    parseFloat: parseFloatFunction,
    parseInt: parseIntFunction,
    isFinite: { arity: [1, 1], call: (run, [value]) => Number.isFinite(toNumber(run, value)) },
    isNaN: { arity: [1, 1], call: (run, [value]) => Number.isNaN(toNumber(run, value)) },
    encodeURIComponent: reading(9, (text) => {
      if (!text.isWellFormed()) fail('The text given to encodeURIComponent has half a character in it')
      return encodeURIComponent(text)
    }),
    decodeURIComponent: reading(1, (text) => {
      try {
        return decodeURIComponent(text)
      } catch {
        return fail('The text given to decodeURIComponent is not valid percent-encoding')
      }
    }),
    now: { arity: [0, 0], call: (run) => run.bindings.now },
    uuid: { arity: [0, 0], call: (run) => run.bindings.uuid },
    sha256: {
      arity: [1, 1],
      call(run, [given]) {
        const text = toText(given)
        run.work(100 + (text.length >> 2))
        return run.bindings.sha256(text)
      },
    },
    hmacSha256: hmac('hmacSha256'),
    hmacSha512: hmac('hmacSha512'),
    unbase64: reading(
      1,
      (text) => decodeBase64(text) ?? fail('The text given to unbase64 is not the base64 of UTF-8 text'),
    ),
    raw: { arity: [1, 1], call: (_run, [value]) => value },
    ...FILE_FUNCTIONS,
    ...COLLECTION_FUNCTIONS,
    ...FORMAT_FUNCTIONS,
    ...PATTERN_FUNCTIONS,
    ...TIME_FUNCTIONS,
  }),
)

const NAMESPACES: Readonly<Record<string, Functions>> = {
  Object: OBJECT_FUNCTIONS,
  JSON: JSON_FUNCTIONS,
  Array: ARRAY_FUNCTIONS,
  Date: { parse: { arity: [1, 1], call: (run, [text]) => readDate(run, toText(text)) } },
  Number: {
    ...Object.fromEntries(NUMBER_TESTS.map((name) => [name, { arity: [1, 1], call: (_run, [x]) => Number[name](x) }])),
    parseFloat: parseFloatFunction,
    parseInt: parseIntFunction,
  },
  Math: {
    ...Object.fromEntries(
      UNARY_MATH.map((name) => [name, { arity: [1, 1], call: (run, [x]) => Math[name](toNumber(run, x)) }]),
    ),
    ...Object.fromEntries(
      BINARY_MATH.map((name) => [
        name,
        { arity: [2, 2], call: (run, [x, y]) => Math[name](toNumber(run, x), toNumber(run, y)) },
      ]),
    ),
    hypot: { arity: [0, ANY_NUMBER], call: (run, args) => Math.hypot(...args.map((x) => toNumber(run, x))) },
    max: folding(Number.NEGATIVE_INFINITY, (most, x) => Math.max(most, x)),
    min: folding(Number.POSITIVE_INFINITY, (least, x) => Math.min(least, x)),
  },
}

/** Functions by their written names, such as `Math.max`. */
export const NAMESPACE_FUNCTIONS: ReadonlyMap<string, GlobalFunction> = new Map(
  Object.entries(NAMESPACES).flatMap(([space, functions]) =>
    Object.entries(functions).map(([name, called]) => [`${space}.${name}`, called] as const),
  ),
)

export const NAMESPACE_NAMES: ReadonlySet<string> = new Set(Object.keys(NAMESPACES))

/** Constants by their written names, such as `Math.PI`. */
export const CONSTANTS: ReadonlyMap<string, number> = new Map<string, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ...MATH_CONSTANTS.map((name) => [`Math.${name}`, Math[name]] as const),
  ...NUMBER_CONSTANTS.map((name) => [`Number.${name}`, Number[name]] as const),
])

export const newDate: GlobalFunction = {
  arity: [1, 1],
  call: (run, [value]) => new DateValue(typeof value === 'string' ? readDate(run, value) : toNumber(run, value)),
}

function readDate(run: Evaluation, text: string): number {
  run.work(80)
  return parseDate(text)
}

/** Lists functions of one text, whose result is up to `growth` times as long. */
function reading(growth: number, read: (text: string) => unknown): GlobalFunction {
  return {
    arity: [1, 1],
    call(run, [given]) {
      const text = toText(given)
      run.convert(text, growth)
      return read(text)
    },
  }
}

function hmac(name: 'hmacSha256' | 'hmacSha512'): GlobalFunction {
  return {
    arity: [2, 2],
    call(run, [given, givenKey]) {
      const text = toText(given)
      const key = toText(givenKey)
      run.work(200 + ((text.length + key.length) >> 2))
      return run.bindings[name](text, key)
    },
  }
}

/** Folds the arguments instead of spreading them into the engine's function: a long list would overflow its stack. */
function folding(start: number, fold: (result: number, x: number) => number): GlobalFunction {
  return {
    arity: [0, ANY_NUMBER],
    call(run, args: Arguments) {
      run.work(2 * args.length)
      return args.reduce((result: number, x) => fold(result, toNumber(run, x)), start)
    },
  }
}
