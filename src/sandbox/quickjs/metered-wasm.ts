// Puts a meter into a WebAssembly file, so that nothing it does goes on for long without the host being asked. QuickJS asks by
// itself only between the instructions of a script: its arithmetic with huge numbers, sorting, searching and copying do not.
// Every turn of a loop, every call of a function that calls others, and every 64 bytes that are copied count. The meter also
// keeps how far down the stack has been, so that only that part of it must be cleared.

/** What is exported besides the file's own exports. Below 0 fuel the function at the last place of the table is called. */
export const METER = { table: 'functions', fuel: 'fuel', stackPointer: 'stackPointer', stackLow: 'stackLow' } as const

const TYPE = 1
const IMPORT = 2
const FUNCTION = 3
const TABLE = 4
const GLOBAL = 6
const EXPORT = 7
const CODE = 10

const I32 = 0x7f
const KIND = { function: 0, table: 1, memory: 2, global: 3 }
const BYTES_SHIFT = 6
/** 2^31 - 1: the module initializes itself before the host can be called. */
const AMPLE = [0xff, 0xff, 0xff, 0xff, 0x07]

/** Returns the file with the meter; throws if it holds anything that this module does not know. */
export function metered(wasm: Uint8Array): Uint8Array {
  const sections = sectionsOf(wasm)
  const section = (id: number): Uint8Array => {
    const found = sections.find((one) => one.id === id)
    if (!found) throw new Error(`this build of QuickJS has no section ${id}`)
    return found.body
  }
  const types = countOf(section(TYPE))
  const functions = countOf(section(FUNCTION))
  const imported = importsOf(section(IMPORT))
  const globals = countOf(section(GLOBAL))
  // The build has one global, and so it is the stack pointer.
  if (imported.globals !== 0 || globals !== 1) throw new Error('this build of QuickJS has other globals')
  const stackPointer = 0
  const fuel = 1
  const meter: Meter = {
    // Two types are added at the end of their list, and two functions: no index changes.
    copy: Uint8Array.from(call(imported.functions + functions)),
    fill: Uint8Array.from(call(imported.functions + functions + 1)),
    tick: Uint8Array.from(tick(fuel, [0x41, 1], types, lastPlace(section(TABLE)))),
    stackPointer,
    noteStack: Uint8Array.from(noteStack(stackPointer, fuel + 1)),
  }
  const bulk = (instruction: number[]): number[] =>
    sized(
      [
        [0], // locals
        tick(fuel, [0x20, 2, 0x41, BYTES_SHIFT, 0x76], types, lastPlace(section(TABLE))),
        [0x20, 0, 0x20, 1, 0x20, 2, ...instruction, 0x0b],
      ].flat(),
    )
  const changed = new Map<number, Uint8Array>([
    [TYPE, appended(section(TYPE), 2, [0x60, 0, 0, 0x60, 3, I32, I32, I32, 0])],
    [FUNCTION, appended(section(FUNCTION), 2, [...leb(types + 1), ...leb(types + 1)])],
    [TABLE, tableWithPlace(section(TABLE))],
    [GLOBAL, appended(section(GLOBAL), 2, [...counter(AMPLE), ...counter(AMPLE)])],
    [
      EXPORT,
      appended(
        section(EXPORT),
        4,
        [
          [...named(METER.table), KIND.table, 0],
          [...named(METER.stackPointer), KIND.global, stackPointer],
          [...named(METER.fuel), KIND.global, fuel],
          [...named(METER.stackLow), KIND.global, fuel + 1],
        ].flat(),
      ),
    ],
    [
      CODE,
      appended(meteredCode(section(CODE), meter), 2, [
        ...bulk([0xfc, 10, 0, 0]), // memory.copy
        ...bulk([0xfc, 11, 0]), // memory.fill
      ]),
    ],
  ])
  return Buffer.concat([
    wasm.subarray(0, 8),
    ...sections.flatMap(({ id, body }) => {
      const content = changed.get(id) ?? body
      return [Uint8Array.of(id, ...leb(content.length)), content]
    }),
  ])
}

interface Meter {
  /** Instructions that count one, and what replaces the instructions that copy and fill memory. */
  tick: Uint8Array
  copy: Uint8Array
  fill: Uint8Array
  stackPointer: number
  /** Instructions after each change of the stack pointer. */
  noteStack: Uint8Array
}

const counter = (value: number[]): number[] => [I32, 1, 0x41, ...value, 0x0b]

const call = (index: number): number[] => [0x10, ...leb(index)]

/** Returns instructions that take an amount from the fuel, and call the host where none is left. */
const tick = (fuel: number, amount: number[], type: number, place: number): number[] =>
  [
    [0x23, ...leb(fuel), ...amount, 0x6b, 0x24, ...leb(fuel)], // fuel = fuel - amount
    [0x23, ...leb(fuel), 0x41, 0, 0x48, 0x04, 0x40], // if (fuel < 0)
    [0x41, ...signedLeb(place), 0x11, ...leb(type), 0, 0x0b], // functions[place]()
  ].flat()

const noteStack = (stackPointer: number, low: number): number[] =>
  [
    [0x23, stackPointer, 0x23, low, 0x49, 0x04, 0x40], // if (stackPointer < low)
    [0x23, stackPointer, 0x24, low, 0x0b], // low = stackPointer
  ].flat()

interface Section {
  id: number
  body: Uint8Array
}

function sectionsOf(wasm: Uint8Array): Section[] {
  const sections: Section[] = []
  for (let at = 8; at < wasm.length; ) {
    const [size, from] = readLeb(wasm, at + 1)
    sections.push({ id: wasm[at]!, body: wasm.subarray(from, from + size) })
    at = from + size
  }
  return sections
}

const countOf = (body: Uint8Array): number => readLeb(body, 0)[0]

/** Returns the section's list with more entries at its end. */
function appended(body: Uint8Array, count: number, entries: number[]): Uint8Array {
  const [before, from] = readLeb(body, 0)
  return Buffer.concat([Uint8Array.from(leb(before + count)), body.subarray(from), Uint8Array.from(entries)])
}

/** Returns how many functions and globals the module imports: their indexes come first. */
function importsOf(body: Uint8Array): { functions: number; globals: number } {
  const found = { functions: 0, globals: 0 }
  let [count, at] = readLeb(body, 0)
  for (; count > 0; count--) {
    for (let names = 0; names < 2; names++) {
      const [length, from] = readLeb(body, at)
      at = from + length
    }
    const kind = body[at++]
    if (kind === KIND.function) {
      found.functions++
      at = readLeb(body, at)[1]
    } else if (kind === KIND.global) {
      found.globals++
      at += 2
    } else if (kind === KIND.memory) {
      const hasMaximum = body[at++]! & 1
      at = readLeb(body, at)[1]
      if (hasMaximum) at = readLeb(body, at)[1]
    } else throw new Error('this build of QuickJS imports something unknown')
  }
  return found
}

function lastPlace(table: Uint8Array): number {
  const [count, at] = readLeb(table, 0)
  if (count !== 1 || table[at] !== 0x70 || table[at + 1] !== 0)
    throw new Error('this build of QuickJS has no function table that can grow')
  return readLeb(table, at + 2)[0]
}

const tableWithPlace = (table: Uint8Array): Uint8Array => Uint8Array.of(1, 0x70, 0, ...leb(lastPlace(table) + 1))

function meteredCode(body: Uint8Array, meter: Meter): Uint8Array {
  const [count, from] = readLeb(body, 0)
  // What is added is a fifth of the whole.
  const out = new Output(body.length * 2)
  out.add(Uint8Array.from(leb(count)))
  for (let i = 0, at = from; i < count; i++) {
    const [size, start] = readLeb(body, at)
    at = start + size
    const place = out.reserve(SIZE_BYTES)
    addFunction(out, body, start, at, meter)
    out.fillIn(place, out.length - place - SIZE_BYTES)
  }
  return out.content
}

const SIZE_BYTES = 5

/** One buffer for all functions: a part for each place that changes would take ten times the memory. */
class Output {
  readonly #bytes: Uint8Array
  length = 0

  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
  }

  get content(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    for (let at = from; at < to; at++) this.#bytes[this.length++] = bytes[at]!
  }

  reserve(count: number): number {
    this.length += count
    return this.length - count
  }

  /** Writes a LEB128 number of five bytes. */
  fillIn(place: number, value: number): void {
    for (let i = 0; i < SIZE_BYTES; i++)
      this.#bytes[place + i] = ((value >>> (7 * i)) & 0x7f) | (i < SIZE_BYTES - 1 ? 0x80 : 0)
  }
}

/** Adds the function at these places of the section, with the meter. */
function addFunction(out: Output, body: Uint8Array, start: number, end: number, meter: Meter): void {
  let [groups, at] = readLeb(body, start)
  for (; groups > 0; groups--) at = lebEnd(body, at) + 1
  out.add(body, start, at)
  // A function that neither loops nor calls cannot go on for long.
  if (callsOthers(body, at, end)) out.add(meter.tick)
  let copied = at
  const change = (upTo: number, added: Uint8Array, next: number): void => {
    out.add(body, copied, upTo)
    out.add(added)
    copied = next
  }
  while (at < end) {
    const opcode = body[at]!
    const next = instructionEnd(body, at)
    if (opcode === LOOP) change(next, meter.tick, next)
    else if (opcode === SET_GLOBAL && body[at + 1] === meter.stackPointer) change(next, meter.noteStack, next)
    else if (opcode === BULK && body[at + 1] === COPY) change(at, meter.copy, next)
    else if (opcode === BULK && body[at + 1] === FILL) change(at, meter.fill, next)
    at = next
  }
  out.add(body, copied, end)
}

function callsOthers(body: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at = instructionEnd(body, at))
    if (body[at] === CALL || body[at] === CALL_INDIRECT) return true
  return false
}

/** Returns where the instruction ends. */
function instructionEnd(code: Uint8Array, at: number): number {
  const opcode = code[at]!
  let operands = OPERANDS[opcode]!
  let end = at + 1
  if (operands === UNKNOWN) {
    if (opcode === F32_CONST) return at + 5
    if (opcode === F64_CONST) return at + 9
    if (opcode === BR_TABLE) {
      const [count, from] = readLeb(code, end)
      operands = count + 1
      end = from
    } else if (opcode === BULK && code[end]! < BULK_OPERANDS.length) operands = BULK_OPERANDS[code[end]!]!
    else throw new Error(`this build of QuickJS uses instruction ${opcode}`)
  }
  for (; operands > 0; operands--) end = lebEnd(code, end)
  return end
}

const LOOP = 0x03
const BR_TABLE = 0x0e
const CALL = 0x10
const CALL_INDIRECT = 0x11
const SET_GLOBAL = 0x24
const F32_CONST = 0x43
const F64_CONST = 0x44
const BULK = 0xfc
const COPY = 10
const FILL = 11

const UNKNOWN = 255
/** The number of LEB128 numbers after each opcode, by the ranges of opcodes of WebAssembly 2.0 without vectors. */
const OPERANDS = new Uint8Array(256).fill(UNKNOWN)
for (const [first, last, count] of [
  [0x00, 0x01, 0], // unreachable, nop
  [0x02, 0x04, 1], // block, loop, if
  [0x05, 0x05, 0], // else
  [0x0b, 0x0b, 0], // end
  [0x0c, 0x0d, 1], // br, br_if
  [0x0f, 0x0f, 0], // return
  [CALL, CALL, 1],
  [CALL_INDIRECT, CALL_INDIRECT, 2],
  [0x1a, 0x1b, 0], // drop, select
  [0x20, 0x24, 1], // local.get to global.set
  [0x28, 0x3e, 2], // loads and stores
  [0x3f, 0x42, 1], // memory.size, memory.grow, i32.const, i64.const
  [0x45, 0xc4, 0], // arithmetic
] as const)
  OPERANDS.fill(count, first, last + 1)
/** The same for what follows BULK, which is a number itself. */
const BULK_OPERANDS = [1, 1, 1, 1, 1, 1, 1, 1, 3, 2, 3, 2]

function lebEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at]! > 0x7f) at++
  return at + 1
}

/** Returns an unsigned LEB128 number, and where it ends. */
function readLeb(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0
  for (let at = from, shift = 0; ; at++, shift += 7) {
    value |= (bytes[at]! & 0x7f) << shift
    if (bytes[at]! < 0x80) return [value, at + 1]
  }
}

function leb(value: number): number[] {
  const bytes: number[] = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return [...bytes, value]
}

/** Returns a number from 0 as a signed LEB128 number. */
function signedLeb(value: number): number[] {
  const bytes = leb(value)
  if (bytes.at(-1)! < 0x40) return bytes
  return [...bytes.slice(0, -1), bytes.at(-1)! | 0x80, 0]
}

const named = (name: string): number[] => [name.length, ...new TextEncoder().encode(name)]
const sized = (body: number[]): number[] => [...leb(body.length), ...body]
