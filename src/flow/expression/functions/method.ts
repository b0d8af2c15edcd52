/** The shape in which methods and functions are listed. */
import type { Callback, Evaluation } from '../values/evaluation.ts'

/** Arguments are data, except at `callback.at`, where a `Callback` may stand: the compiler sees to it. */
export type Arguments = readonly unknown[]

export interface Method<Self> {
  readonly arity: readonly [least: number, most: number]
  /** Which argument may be an arrow function; where it is required, nothing else may stand there. */
  readonly callback?: { readonly at: number; readonly required: boolean }
  call(run: Evaluation, self: Self, args: Arguments): unknown
}

export type Methods<Self> = Readonly<Record<string, Method<Self>>>

export type GlobalFunction = Omit<Method<undefined>, 'call' | 'callback'> & {
  call(run: Evaluation, args: Arguments): unknown
}

export function callbackOf([callback]: Arguments): Callback {
  return callback as Callback
}
