import { numberToText, requireFinite, toInteger } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import type { Method, Methods } from './method.ts'

export const NUMBER_METHODS: Methods<number> = {
  toExponential: formatting(0, 100, (number, digits) => number.toExponential(digits)),
  toFixed: formatting(0, 100, (number, digits) => number.toFixed(digits)),
  toPrecision: formatting(1, 100, (number, digits) => number.toPrecision(digits)),
  toString: formatting(2, 36, (number, radix) => (radix === undefined ? numberToText(number) : number.toString(radix))),
}

function formatting(least: number, most: number, format: (n: number, setting?: number) => string): Method<number> {
  return {
    arity: [0, 1],
    call(run, self, [given]) {
      requireFinite(self)
      if (given === undefined) return format(self)
      const setting = toInteger(run, given, 0)
      if (setting < least || setting > most) fail(`The setting must lie between ${least} and ${most}`)
      run.work(80)
      return format(self, setting)
    },
  }
}
