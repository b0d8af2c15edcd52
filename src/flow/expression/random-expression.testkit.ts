/**
 * Makes random expressions of the subset that mean the same in JavaScript, for the differential test. They are typed, so
 * that most yield a value, and avoid the documented differences (see `index.ts`).
 */
export type Choose = (count: number) => number

/** The data that the expressions refer to as `vars`. */
export interface Data {
  n: number
  s: string
  t: string
  b: boolean
  nil: null
  nums: number[]
  strs: string[]
  rows: { id: number; name: string; tags: string[]; price?: number }[]
  map: Record<string, number>
}

interface Names {
  num: string[]
  str: string[]
  row: string[]
}

const DATA_NAMES: Names = { num: ['vars.n'], str: ['vars.s', 'vars.t'], row: [] }

export class RandomExpression {
  readonly #choose: Choose
  #parameters = 0

  constructor(choose: Choose) {
    this.#choose = choose
  }

  any(depth: number, names: Names = DATA_NAMES): string {
    return this.#pick([
      () => this.num(depth, names),
      () => this.str(depth, names),
      () => this.bool(depth, names),
      () => this.nums(depth, names),
      () => this.strs(depth, names),
      () => this.object(depth, names),
      () => this.rows(depth, names),
      () => `[${this.any(depth - 1, names)}, ${this.any(depth - 1, names)}]`,
      () => `(${this.bool(depth, names)} ? ${this.any(depth - 1, names)} : ${this.any(depth - 1, names)})`,
      () => `(${this.value(depth, names)} && ${this.any(depth - 1, names)})`,
      () => `(${this.primitive(depth, names)} ${this.#of('||', '??')} ${this.any(depth - 1, names)})`,
      () => `JSON.parse(JSON.stringify(${this.any(depth - 1, names)}))`,
    ])
  }

  /** Returns an operand that can be tested: a value, or something missing. */
  primitive(depth: number, names: Names): string {
    return this.#pick([
      () => this.value(depth, names),
      () => this.#of('vars.none', 'vars.none?.x', 'vars.none?.x.y[0]', 'vars.nil?.trim()', 'undefined'),
    ])
  }

  value(depth: number, names: Names): string {
    return this.#pick([
      () => this.num(depth, names),
      () => this.str(depth, names),
      () => this.bool(depth, names),
      () => this.#of('null', 'vars.nil'),
    ])
  }

  num(depth: number, names: Names): string {
    const leaf = [
      () => this.#of(...names.num),
      () => this.#of('0', '1', '2.5', '-3', '1e3', '.1', '0x1f'),
      ...this.#row(names, '.id'),
    ]
    if (depth <= 0) return this.#pick(leaf)
    const num = () => this.num(depth - 1, names)
    const str = () => this.str(depth - 1, names)
    const nums = () => this.nums(depth - 1, names)
    const strs = () => this.strs(depth - 1, names)
    return this.#pick([
      ...leaf,
      () => `(${num()} ${this.#of('+', '-', '*')} ${num()})`,
      () => `(${num()} ${this.#of('/', '%')} ${this.#of('2', '-7', '0.5')})`,
      () => `(${num()} + ${this.bool(depth - 1, names)} - null)`,
      // Integers only: engines may round the power of a fraction differently.
      () => `((Math.trunc(${num()}) % 5) ** ${this.#of('2', '3')})`,
      () => `(${this.#of('-', '+')} ${num()})`,
      () => `Math.${this.#of('abs', 'floor', 'ceil', 'round', 'trunc', 'sign', 'fround', 'clz32')}(${num()})`,
      () => `Math.${this.#of('max', 'min')}(${num()}, ...${nums()})`,
      () => `Math.sqrt(Math.abs(${num()}))`,
      () => `${str()}.length`,
      () => `${strs()}.length`,
      () => `${str()}.${this.#of('indexOf', 'lastIndexOf')}(${str()})`,
      () => `${str()}.indexOf(${str()}, ${this.index()})`,
      () => `(${str()}.${this.#of('charCodeAt', 'codePointAt')}(${this.index()}) || 0)`,
      () => `(parseInt(${str()}${this.#of('', ', 16', ', 2')}) || 0)`,
      () => `(parseFloat(${str()}) || 0)`,
      () => `(Number(${str()}) || 0)`,
      () => `Number((${num()}).toFixed(${this.#of('', '0', '2', '5')}))`,
      () => `${nums()}.${this.#of('indexOf', 'lastIndexOf')}(${num()})`,
      () => `(${nums()}.at(${this.index()}) ?? ${num()})`,
      () => `(${nums()}[${this.#of('0', '1', '5', '-1', "'0'")}] ?? ${num()})`,
      () => `${nums()}.${this.#of('reduce', 'reduceRight')}(${this.#combine(depth, names)}, ${num()})`,
      () => `${nums()}.reduce(${this.#combine(depth, names)})`,
      () => `(${nums()}.${this.#of('find', 'findLast')}(${this.#test(depth, names, 'num')}) ?? ${num()})`,
      () => `${strs()}.${this.#of('findIndex', 'findLastIndex')}(${this.#test(depth, names, 'str')})`,
      () => `(${this.rows(depth - 1, names)}.find(${this.#test(depth, names, 'row')})?.id ?? ${num()})`,
      () => `(vars.rows[${this.#of('0', '1', '7')}]?.price ?? ${num()})`,
      () => `(${this.object(depth - 1, names)}.a ?? 4)`,
      () =>
        `new Date(Math.trunc(${num()} % 1e12)).${this.#of('getTime', 'getUTCFullYear', 'getUTCMonth', 'getUTCDay', 'getUTCHours')}()`,
      () => `(new Date(1e12) - new Date(Math.round(${num()} % 1e12)))`,
      () => `Date.parse(new Date(Math.round(${num()} % 1e9)).toISOString())`,
      () => `(${this.bool(depth - 1, names)} ? ${num()} : ${num()})`,
    ])
  }

  str(depth: number, names: Names): string {
    const leaf = [
      () => this.#of(...names.str),
      () => this.#of("''", "'a'", '"é"', "' b '", "'1.5'", '`x,y`', "'😀'", "'A-b'"),
      ...this.#row(names, '.name'),
    ]
    if (depth <= 0) return this.#pick(leaf)
    const num = () => this.num(depth - 1, names)
    const str = () => this.str(depth - 1, names)
    return this.#pick([
      ...leaf,
      () => `(${str()} + ${this.#pick([str, num, () => this.bool(depth - 1, names), () => 'null'])})`,
      () => `\`<\${${str()}}|\${${num()}}\``,
      () =>
        `${str()}.${this.#of('trim', 'trimStart', 'trimEnd', 'toUpperCase', 'toLowerCase', 'toString', 'normalize')}()`,
      () => `${str()}.${this.#of('slice', 'substring')}(${this.index()}, ${this.index()})`,
      () => `${str()}.slice(${this.index()})`,
      () => `${str()}.charAt(${this.index()})`,
      () => `(${str()}.at(${this.index()}) ?? ${str()})`,
      () => `(${str()}[${this.#of('0', '2', '9')}] ?? ${str()})`,
      () => `${str()}.concat(${str()}, ${num()})`,
      () => `${str()}.${this.#of('padStart', 'padEnd')}(${this.index()}, ${str()})`,
      () => `${str()}.repeat(${this.#of('0', '1', '2.9', '3', '-1')})`,
      () => `${str()}.${this.#of('replace', 'replaceAll')}(${str()}, ${str()})`,
      () => {
        const [m, i] = [this.#parameter(), this.#parameter()]
        const inner = this.str(depth - 1, { ...names, str: [...names.str, m], num: [...names.num, i] })
        return `${str()}.${this.#of('replace', 'replaceAll')}(${this.#of("'a'", "','", "''", "'b '")}, (${m}, ${i}) => ${inner})`
      },
      () => `${this.strs(depth - 1, names)}.join(${this.#of('', "'-'", "''", str())})`,
      () => `${this.nums(depth - 1, names)}.join()`,
      () => `String(${this.#pick([str, num, () => this.bool(depth - 1, names), () => 'null'])})`,
      () => `(${num()}).toFixed(${this.#of('', '0', '2', '101')})`,
      () => `Math.trunc(${num()} % 1e9).toString(${this.#of('', '2', '16', '36', '37')})`,
      () => `(${num()}).${this.#of('toPrecision', 'toExponential')}(${this.#of('3', '1', '0')})`,
      () => `JSON.stringify(${this.any(depth - 1, names)}${this.#of('', ', null, 2', ", null, '--'")})`,
      () => `encodeURIComponent(${str()})`,
      () => `decodeURIComponent(${str()})`,
      () => `(typeof (${this.any(depth - 1, names)}))`,
      () => `new Date(Math.round(${num()} % 1e12)).${this.#of('toISOString', 'toJSON')}()`,
      () => `(${this.bool(depth - 1, names)} ? ${str()} : ${str()})`,
    ])
  }

  bool(depth: number, names: Names): string {
    if (depth <= 0) return this.#of('true', 'false', 'vars.b')
    const num = () => this.num(depth - 1, names)
    const str = () => this.str(depth - 1, names)
    const primitive = () => this.primitive(depth - 1, names)
    return this.#pick([
      () => `(${primitive()} ${this.#of('==', '!=', '===', '!==')} ${primitive()})`,
      () =>
        `(${this.#pick([num, str])} ${this.#of('<', '>', '<=', '>=')} ${this.#pick([num, str, () => 'null', () => 'true'])})`,
      () => `!${primitive()}`,
      () => `${str()}.${this.#of('includes', 'startsWith', 'endsWith')}(${str()}${this.#of('', ', 1', ', -2')})`,
      () => `${this.nums(depth - 1, names)}.includes(${num()}${this.#of('', ', 1', ', -2')})`,
      () => `${this.strs(depth - 1, names)}.${this.#of('some', 'every')}(${this.#test(depth, names, 'str')})`,
      () => `Array.isArray(${this.any(depth - 1, names)})`,
      () => `isNaN(${primitive()} === undefined ? 1 : ${str()})`,
      () => `isFinite(${str()})`,
      () => `Number.${this.#of('isInteger', 'isFinite', 'isSafeInteger', 'isNaN')}(${this.#pick([num, str])})`,
      () => `Boolean(${this.#pick([num, str])})`,
      () => `isNaN(${str()} * ${num()})`,
    ])
  }

  nums(depth: number, names: Names): string {
    if (depth <= 0) return this.#of('vars.nums', '[]', '[3, 1, 2]')
    const nums = () => this.nums(depth - 1, names)
    const num = () => this.num(depth - 1, names)
    return this.#pick([
      () => 'vars.nums',
      () => `[${num()}, ...${nums()}]`,
      () => `${this.strs(depth - 1, names)}.map(${this.#arrow(depth, names, 'str', 'num')})`,
      () => `${this.rows(depth - 1, names)}.map(${this.#arrow(depth, names, 'row', 'num')})`,
      () => `${nums()}.map(Math.${this.#of('abs', 'floor')})`,
      () => `[...${nums()}].sort(${this.#of('', '(p, q) => p - q', '(p, q) => q - p')})`,
      () => this.#listMethod(nums(), num, names, depth, 'num'),
      () => `[...${nums()}.keys()]`,
      () => `Object.values(${this.object(depth - 1, names)})`,
    ])
  }

  strs(depth: number, names: Names): string {
    if (depth <= 0) return this.#of('vars.strs', '[]', "['b', 'a', 'B']")
    const strs = () => this.strs(depth - 1, names)
    const str = () => this.str(depth - 1, names)
    return this.#pick([
      () => 'vars.strs',
      () => `[${str()}, ...${strs()}]`,
      () => `[...${str()}]`,
      () => `${str()}.split(${this.#of("','", "''", "' '", str())}${this.#of('', ', 2', ', 0')})`,
      () => `${this.nums(depth - 1, names)}.map(${this.#arrow(depth, names, 'num', 'str')})`,
      () => `${this.nums(depth - 1, names)}.map(String)`,
      () => `[...${strs()}].sort()`,
      () => this.#listMethod(strs(), str, names, depth, 'str'),
      () => `Object.keys(${this.object(depth - 1, names)})`,
      () => `Object.entries(${this.object(depth - 1, names)}).map(([k, v]) => k + v)`,
      () => `vars.rows.map(({ name }) => name)`,
    ])
  }

  rows(depth: number, names: Names): string {
    if (depth <= 0) return 'vars.rows'
    const rows = () => this.rows(depth - 1, names)
    const row = () => `{ id: ${this.num(depth - 1, names)}, name: ${this.str(depth - 1, names)}, tags: [] }`
    return this.#pick([
      () => 'vars.rows',
      () => `[${row()}, ...${rows()}]`,
      () => `[...${rows()}].sort((p, q) => p.id - q.id)`,
      () => `${rows()}.map(${this.#spreadRow(depth, names)})`,
      () => this.#listMethod(rows(), row, names, depth, 'row'),
    ])
  }

  /** Returns an object whose values are numbers. */
  object(depth: number, names: Names): string {
    if (depth <= 0) return this.#of('vars.map', '{}', '{ a: 1, 2: 3 }')
    const num = () => this.num(depth - 1, names)
    const object = () => this.object(depth - 1, names)
    return this.#wrapped(
      this.#pick([
        () => 'vars.map',
        () => `{ a: ${num()}, 'b c': ${num()}, [${this.str(depth - 1, names)}]: ${num()} }`,
        () => `{ ...${object()}, ...${object()}, ...(${this.bool(depth - 1, names)} && ${object()}) }`,
        () => `Object.fromEntries(${this.strs(depth - 1, names)}.map((k, i) => [k, i]))`,
        () => `Object.fromEntries(Object.entries(${object()}).filter(([k, v]) => v ${this.#of('>', '<')} ${num()}))`,
        () => `${this.nums(depth - 1, names)}.reduce((o, v, i) => ({ ...o, [i]: v }), {})`,
      ]),
    )
  }

  index(): string {
    return this.#of('0', '1', '2', '-1', '-2', '5', '1.7')
  }

  #listMethod(list: string, element: () => string, names: Names, depth: number, type: keyof Names): string {
    return this.#pick([
      () => `${list}.filter(${this.#test(depth, names, type)})`,
      () => `${list}.slice(${this.index()}, ${this.index()})`,
      () => `${list}.slice()`,
      () => `${list}.concat(${element()}, [${element()}], [])`,
      () => `${list}.toReversed()`,
      () => `${list}.with(${this.index()}, ${element()})`,
      () => `${list}.toSpliced(${this.index()}, ${this.index()}, ${element()})`,
      () => `${list}.toSpliced(${this.index()})`,
      () => `[[${element()}], [], ...${list}.map(e => [e])].flat()`,
      () => `[[[${element()}]], [[]], []].flat(${this.#of('2', '1 / 0')})`,
      () => `${list}.flatMap((e, i) => i > 1 ? [] : [e, e])`,
      () => `[...${list}.values()]`,
      () => `[...${list}.entries()].map(([i, e]) => e)`,
    ])
  }

  #arrow(depth: number, names: Names, from: keyof Names, to: 'num' | 'str'): string {
    const [element, index] = [this.#parameter(), this.#parameter()]
    const inner: Names = { ...names, num: [...names.num, index] }
    inner[from] = [...inner[from], element]
    return `(${element}, ${index}) => ${this.#wrapped(to === 'num' ? this.num(depth - 1, inner) : this.str(depth - 1, inner))}`
  }

  #test(depth: number, names: Names, from: keyof Names): string {
    const element = this.#parameter()
    return `${element} => ${this.bool(depth - 1, { ...names, [from]: [...names[from], element] })}`
  }

  #combine(depth: number, names: Names): string {
    const [sum, element] = [this.#parameter(), this.#parameter()]
    return `(${sum}, ${element}) => ${this.num(depth - 1, { ...names, num: [...names.num, sum, element] })}`
  }

  #spreadRow(depth: number, names: Names): string {
    const row = this.#parameter()
    const inner = { ...names, row: [...names.row, row] }
    return `${row} => ({ ...${row}, id: ${this.num(depth - 1, inner)}, name: ${this.str(depth - 1, inner)} })`
  }

  #row(names: Names, property: string): (() => string)[] {
    return names.row.length === 0 ? [] : [() => this.#of(...names.row) + property]
  }

  #parameter(): string {
    return `p${this.#parameters++}`
  }

  #wrapped(source: string): string {
    return source.startsWith('{') ? `(${source})` : source
  }

  #of(...choices: string[]): string {
    return choices[this.#choose(choices.length)]!
  }

  #pick(choices: (() => string)[]): string {
    return choices[this.#choose(choices.length)]!()
  }
}
