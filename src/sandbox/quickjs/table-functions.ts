// Makes QuickJS report rejected promises. It calls a function pointer in its runtime for that, which no export can set. So
// the build exports its function table too; this module puts a function there and writes the pointer.
import { METER } from './metered-wasm.ts'
import { Instance, Module, type Table } from './web-assembly.ts'

/** The offset of the pointer and its argument in a JSRuntime, in front of its list of jobs. */
const TRACKER_OFFSET = 180
const JOB_LIST_OFFSET = TRACKER_OFFSET + 8

export type OnRejection = (context: number, promise: bigint, reason: bigint, isHandled: number, opaque: number) => void

/** Returns a module with one import, `m.f`, and one export, `f`, which are the same function, of the given type. */
const adapter = (typeSection: string) =>
  new Module(
    Buffer.from(
      [
        '0061736d01000000',
        typeSection,
        '0207' + '01' + '016d' + '0166' + '0000', // imports
        '0705' + '01' + '0166' + '0000', // exports
      ].join(''),
      'hex',
    ),
  )

/** QuickJS's type for `OnRejection`: (i32, i64, i64, i32, i32) -> () */
const REJECTION_ADAPTER = adapter('0109' + '01' + '60' + '057f7e7e7f7f' + '00')
/** () -> () */
const METER_ADAPTER = adapter('0104' + '01' + '60' + '00' + '00')

const inWasm = (module: object, f: unknown): unknown => new Instance(module, { m: { f } }).exports['f']

/** Makes the function callable from QuickJS; returns its place in the table, which is the same in every instance. */
export function placeInTable(instance: Instance, onRejection: OnRejection): number {
  const table = instance.exports[METER.table] as Table
  const place = table.grow(1)
  table.set(place, inWasm(REJECTION_ADAPTER, onRejection))
  return place
}

/** Has the function called whenever no fuel is left. It must come before anything else is put into the table. */
export function placeMeter(instance: Instance, onEmpty: () => void): void {
  const table = instance.exports[METER.table] as Table
  table.set(table.length - 1, inWasm(METER_ADAPTER, onEmpty))
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
