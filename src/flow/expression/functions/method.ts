/** The type by which methods and functions are listed. */
import type { Callback, Evaluation } from '../values/evaluation.ts'

/** Arguments are data, except at `callback.at`, where the compiler allows a `Callback`. */
export type Arguments = readonly unknown[]

export interface Method<Self> {
  readonly arity: readonly [least: number, most: number]
  /** The argument that may be an arrow function; if it is required, it must be one. */
  readonly callback?: { readonly at: number; readonly required: boolean }
  call(run: Evaluation, self: Self, args: Arguments): unknown
}

export type Methods<Self> = Readonly<Record<string, Method<Self>>>

export type GlobalFunction = Omit<Method<undefined>, 'call'> & {
  call(run: Evaluation, args: Arguments): unknown
  /** Whether it reads the content of a file: always, or if it is given one. */
  readsFiles?: 'always' | 'if given'
}

export function callbackOf([callback]: Arguments): Callback {
  return callback as Callback
}
