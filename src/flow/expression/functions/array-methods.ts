import { MISSING } from '../values/bindings.ts'
import { isTruthy, toInteger, toNumber, toText } from '../values/conversion.ts'
import { compare, strictlyEqual } from '../values/equality.ts'
import { fail } from '../values/errors.ts'
import { ELEMENT_SIZE, type Evaluation, MAX_DATA_DEPTH, needed } from '../values/evaluation.ts'
import { type Arguments, callbackOf, type Method, type Methods } from './method.ts'

type List = readonly unknown[]
type ListMethod = Method<List>

const REQUIRED = { at: 0, required: true }

const sorted: ListMethod = { arity: [0, 1], callback: REQUIRED, call: sort }
const reversed = copying(0, (list) => list.toReversed())

export const ARRAY_METHODS: Methods<List> = {
  at: { arity: [0, 1], call: (run, self, [at]) => self.at(toInteger(run, at, 0)) ?? MISSING },
  concat: {
    arity: [0, Number.POSITIVE_INFINITY],
    call(run, self, args) {
      run.grow(ELEMENT_SIZE * self.length)
      const result = self.slice()
      flatten(run, args, 1, result, 1)
      return result
    },
  },
  entries: copying(0, (list, run) => {
    run.work(4 * list.length)
    run.grow(3 * ELEMENT_SIZE * list.length)
    return list.map((element, index) => [index, element])
  }),
  every: { arity: [1, 1], callback: REQUIRED, call: (run, self, args) => indexWhere(run, self, args, false) === -1 },
  filter: {
    arity: [1, 1],
    callback: REQUIRED,
    call(run, self, args) {
      const test = callbackOf(args)
      const kept = self.filter((element, index) => isTruthy(test(run, element, index, self)))
      run.grow(ELEMENT_SIZE * kept.length)
      return kept
    },
  },
  find: finding((run, self, args) => elementAt(self, indexWhere(run, self, args, true))),
  findIndex: finding((run, self, args) => indexWhere(run, self, args, true)),
  findLast: finding((run, self, args) => elementAt(self, lastIndexWhere(run, self, args))),
  findLastIndex: finding((run, self, args) => lastIndexWhere(run, self, args)),
  flat: {
    arity: [0, 1],
    call(run, self, [levels]) {
      const result: unknown[] = []
      flatten(run, self, toInteger(run, levels, 1), result, 1)
      return result
    },
  },
  flatMap: {
    arity: [1, 1],
    callback: REQUIRED,
    call(run, self, args) {
      const result: unknown[] = []
      flatten(run, mapped(run, self, args), 1, result, 1)
      return result
    },
  },
  includes: {
    arity: [1, 2],
    call(run, self, [sought, from]) {
      const start = startIndex(run, from, self.length)
      return indexFrom(run, self, sought, start) !== -1
    },
  },
  indexOf: {
    arity: [1, 2],
    call: (run, self, [sought, from]) => indexFrom(run, self, sought, startIndex(run, from, self.length)),
  },
  join: { arity: [0, 1], call: join },
  keys: copying(0, (list) => list.map((_element, index) => index)),
  lastIndexOf: {
    arity: [1, 1],
    call(run, self, [sought]) {
      for (let index = self.length - 1; index >= 0; index--) {
        run.work(2)
        if (strictlyEqual(run, self[index], sought)) return index
      }
      return -1
    },
  },
  map: { arity: [1, 1], callback: REQUIRED, call: mapped },
  reduce: { arity: [1, 2], callback: REQUIRED, call: (run, self, args) => reduce(run, self, args, 1) },
  reduceRight: { arity: [1, 2], callback: REQUIRED, call: (run, self, args) => reduce(run, self, args, -1) },
  reverse: reversed,
  slice: copying(2, (list, run, [start, end]) =>
    list.slice(toInteger(run, start, 0), end === undefined ? undefined : toInteger(run, end, 0)),
  ),
  some: { arity: [1, 1], callback: REQUIRED, call: (run, self, args) => indexWhere(run, self, args, true) !== -1 },
  sort: sorted,
  toReversed: reversed,
  toSorted: sorted,
  toSpliced: {
    arity: [0, Number.POSITIVE_INFINITY],
    call(run, self, args) {
      run.grow(ELEMENT_SIZE * (self.length + args.length))
      if (args.length === 0) return self.slice()
      const [start, count, ...added] = args
      const from = toInteger(run, start, 0)
      return args.length === 1 ? self.toSpliced(from) : self.toSpliced(from, toInteger(run, count, 0), ...added)
    },
  },
  values: copying(0, (list) => list.slice()),
  with: {
    arity: [2, 2],
    call(run, self, [at, value]) {
      const index = toInteger(run, at, 0)
      if (index >= self.length || index < -self.length) fail('The index given to with() lies outside the list')
      run.grow(ELEMENT_SIZE * self.length)
      return self.with(index, value)
    },
  },
}

function copying(most: number, copy: (list: List, run: Evaluation, args: Arguments) => unknown[]): ListMethod {
  return {
    arity: [0, most],
    call(run, self, args) {
      run.grow(ELEMENT_SIZE * self.length)
      return copy(self, run, args)
    },
  }
}

function finding(find: (run: Evaluation, self: List, args: Arguments) => unknown): ListMethod {
  return { arity: [1, 1], callback: REQUIRED, call: find }
}

function elementAt(list: List, index: number): unknown {
  return index === -1 ? MISSING : list[index]
}

function indexWhere(run: Evaluation, list: List, args: Arguments, wanted: boolean): number {
  const test = callbackOf(args)
  return list.findIndex((element, index) => isTruthy(test(run, element, index, list)) === wanted)
}

function lastIndexWhere(run: Evaluation, list: List, args: Arguments): number {
  const test = callbackOf(args)
  return list.findLastIndex((element, index) => isTruthy(test(run, element, index, list)))
}

function mapped(run: Evaluation, list: List, args: Arguments): unknown[] {
  const change = callbackOf(args)
  run.grow(ELEMENT_SIZE * list.length)
  return list.map((element, index) => {
    return needed(run, change(run, element, index, list))
  })
}

function flatten(run: Evaluation, list: List, levels: number, result: unknown[], depth: number): void {
  if (depth > MAX_DATA_DEPTH) fail(`The list is nested more than ${MAX_DATA_DEPTH} levels deep`)
  run.work(1 + 4 * list.length)
  for (const element of list) {
    if (levels > 0 && Array.isArray(element)) flatten(run, element, levels - 1, result, depth + 1)
    else {
      run.grow(ELEMENT_SIZE)
      result.push(element)
    }
  }
}

function startIndex(run: Evaluation, from: unknown, length: number): number {
  const start = toInteger(run, from, 0)
  return start < 0 ? Math.max(0, length + start) : start
}

function indexFrom(run: Evaluation, list: List, sought: unknown, start: number): number {
  for (let index = start; index < list.length; index++) {
    run.work(2)
    if (strictlyEqual(run, list[index], sought)) return index
  }
  return -1
}

function join(run: Evaluation, list: List, [separator]: Arguments): string {
  const between = separator === undefined ? ',' : toText(separator)
  run.work(6 * list.length)
  run.grow(between.length * list.length)
  return list
    .map((element) => {
      if (Array.isArray(element)) fail('join was given a list inside a list', 'Use flat() or map(…) first.')
      const text = element === null ? '' : toText(element)
      run.grow(text.length)
      return text
    })
    .join(between)
}

function reduce(run: Evaluation, list: List, args: Arguments, step: 1 | -1): unknown {
  const combine = callbackOf(args)
  let index = step === 1 ? 0 : list.length - 1
  let result = args[1]
  if (args.length === 1) {
    if (list.length === 0) fail('reduce of an empty list needs a start value', 'Give one as the second argument.')
    result = list[index]
    index += step
  }
  for (; index >= 0 && index < list.length; index += step) {
    result = needed(run, combine(run, result, list[index], index, list))
  }
  return result
}

function sort(run: Evaluation, list: List, args: Arguments): unknown[] {
  run.grow(ELEMENT_SIZE * list.length)
  if (args.length === 0) return sortByText(run, list)
  const order = callbackOf(args)
  return list.toSorted((a, b) => toNumber(run, needed(run, order(run, a, b))))
}

function sortByText(run: Evaluation, list: List): unknown[] {
  run.work(8 * list.length)
  return list
    .map((element) => ({ element, text: toText(element) }))
    .sort((a, b) => {
      run.work(4)
      return compare(run, a.text, b.text)
    })
    .map(({ element }) => element)
}
