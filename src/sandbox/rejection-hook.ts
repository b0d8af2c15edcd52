// Makes QuickJS report rejected promises. It calls a function pointer in its runtime for that, which no export can set. So
// the build exports its function table too; this module puts a function there and writes the pointer.
import { readFileSync } from 'node:fs'
import { type CompiledModule, Instance, Module, type Table } from './web-assembly.ts'

const EXPORT_SECTION = 7
const TABLE_NAME = 'functions'

/** The offset of the pointer and its argument in a JSRuntime, in front of its list of jobs. */
const TRACKER_OFFSET = 180
const JOB_LIST_OFFSET = TRACKER_OFFSET + 8

export type OnRejection = (context: number, promise: bigint, reason: bigint, isHandled: number, opaque: number) => void

/** A module with one import, `m.f`, and one export, `f`, which are the same function of QuickJS's type for `OnRejection`. */
const ADAPTER = new Module(
  Buffer.from(
    [
      '0061736d01000000',
      '0109' + '01' + '60' + '057f7e7e7f7f' + '00', // types: (i32, i64, i64, i32, i32) -> ()
      '0207' + '01' + '016d' + '0166' + '0000', // imports
      '0705' + '01' + '0166' + '0000', // exports
    ].join(''),
    'hex',
  ),
)

/** Returns the build of QuickJS, with its function table among its exports. */
export function compileQuickJs(): CompiledModule {
  const file = new URL(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
  return new Module(withTableExported(readFileSync(file)))
}

function withTableExported(wasm: Uint8Array): Uint8Array {
  for (let at = 8; at < wasm.length; ) {
    const [size, body] = readNumber(wasm, at + 1)
    if (wasm[at] === EXPORT_SECTION) {
      const [count, entries] = readNumber(wasm, body)
      const name = new TextEncoder().encode(TABLE_NAME)
      const content = Buffer.concat([
        number(count + 1),
        wasm.subarray(entries, body + size),
        Uint8Array.of(name.length, ...name, 1, 0),
      ])
      return Buffer.concat([wasm.subarray(0, at + 1), number(content.length), content, wasm.subarray(body + size)])
    }
    at = body + size
  }
  throw new Error('this build of QuickJS has no exports')
}

/** Returns a LEB128 number, and where it ends. */
function readNumber(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0
  for (let at = from, shift = 0; ; at++, shift += 7) {
    value |= (bytes[at]! & 0x7f) << shift
    if (bytes[at]! < 0x80) return [value, at + 1]
  }
}

function number(value: number): Uint8Array {
  const bytes: number[] = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Uint8Array.of(...bytes, value)
}

/** Makes the function callable from QuickJS; returns its place in the table, which is the same in every instance. */
export function placeInTable(instance: Instance, onRejection: OnRejection): number {
  const table = instance.exports[TABLE_NAME] as Table
  const place = table.grow(1)
  table.set(place, new Instance(ADAPTER, { m: { f: onRejection } }).exports['f'])
  return place
}

/** Makes a new runtime call the function at that place. */
export function hookRejections(memory: ArrayBuffer, runtime: number, place: number): void {
  const words = new Uint32Array(memory, runtime + TRACKER_OFFSET, 4)
  const jobs = runtime + JOB_LIST_OFFSET
  // Expects two fields that are not set, then an empty list: both its ends point to itself.
  if (![0, 0, jobs, jobs].every((word, i) => words[i] === word))
    throw new Error('this build of QuickJS lays its runtime out differently')
  words[0] = place
}
