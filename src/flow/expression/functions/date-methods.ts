import type { DateValue } from '../values/date-value.ts'
import type { Method, Methods } from './method.ts'

const PARTS = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const

const iso: Method<DateValue> = {
  arity: [0, 0],
  call(run, self) {
    run.work(100)
    return self.toIso()
  },
}
const time: Method<DateValue> = { arity: [0, 0], call: (_run, self) => self.ms }

export const DATE_METHODS: Methods<DateValue> = {
  getTime: time,
  valueOf: time,
  toISOString: iso,
  toJSON: iso,
  toString: iso,
  // The local time zone of expressions is UTC, so `getHours` and `getUTCHours` are the same.
  ...Object.fromEntries(PARTS.flatMap((part) => [`get${part}`, `getUTC${part}`].map((name) => [name, reading(part)]))),
}

function reading(part: (typeof PARTS)[number]): Method<DateValue> {
  return { arity: [0, 0], call: (_run, self) => new Date(self.ms)[`getUTC${part}`]() }
}
