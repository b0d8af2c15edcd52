// The names that expressions know besides data, for the completion of editors.
import { ARRAY_METHODS } from './array-methods.ts'
import { DATE_METHODS } from './date-methods.ts'
import { CONSTANTS, GLOBAL_FUNCTIONS, NAMESPACE_FUNCTIONS } from './global-functions.ts'
import { NUMBER_METHODS } from './number-methods.ts'
import { STRING_METHODS } from './string-methods.ts'

export type MethodOwner = 'text' | 'list' | 'number' | 'date'

/** Names as written: `parseInt`, `Math.max`, `Math.PI`. */
export const FUNCTION_NAMES: readonly string[] = [...GLOBAL_FUNCTIONS.keys(), ...NAMESPACE_FUNCTIONS.keys()]
export const CONSTANT_NAMES: readonly string[] = [...CONSTANTS.keys()]

export const METHOD_NAMES: Readonly<Record<MethodOwner, readonly string[]>> = {
  text: Object.keys(STRING_METHODS),
  list: Object.keys(ARRAY_METHODS),
  number: Object.keys(NUMBER_METHODS),
  date: Object.keys(DATE_METHODS),
}

/** Returns whether a method's first argument is a function, as of `map`. */
export const takesFunction = (name: string): boolean => ARRAY_METHODS[name]?.callback?.at === 0
