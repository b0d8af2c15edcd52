// Compiles and instantiates QuickJS, with the meter and a watch over what it calls.
import { readFileSync } from 'node:fs'
import type { EmscriptenModuleLoader, QuickJSEmscriptenModule } from '@jitl/quickjs-ffi-types'
import loadModule from '@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module'
import type { CappedMemory } from './capped-memory.ts'
import { METER, metered } from './metered-wasm.ts'
import { placeMeter } from './table-functions.ts'
import { type CompiledModule, type Global, type Imports, Instance, Module } from './web-assembly.ts'

/** The count after which the host is asked: some 20 to 100 microseconds. */
const FUEL = 8192

/** Compiles the build of QuickJS that npm has, with the meter put in. */
export function compileQuickJs(): CompiledModule {
  const file = new URL(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
  return new Module(metered(readFileSync(file)))
}

/** What the instance asks and tells. */
export interface Watch {
  /** Called when the fuel is used up; may throw through the instance. */
  onEmpty(): void
  /** Called before each call out of the instance, for the time, say. */
  onCallOut(): void
  /** Called when the memory was refused to grow; may throw through the instance. */
  onRefusedGrowth(): void
}

export async function instantiate(
  compiled: CompiledModule,
  memory: CappedMemory,
  watch: Watch,
): Promise<{ module: QuickJSEmscriptenModule; instance: Instance }> {
  const load = loadModule as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>
  let instance!: Instance
  const module = await load({
    wasmMemory: memory,
    print() {},
    printErr() {},
    instantiateWasm(imports: Imports, done: (instance: object) => void) {
      instance = new Instance(compiled, watched(imports, watch))
      const fuel = instance.exports[METER.fuel] as Global
      placeMeter(instance, () => {
        fuel.value = FUEL
        watch.onEmpty()
      })
      fuel.value = FUEL
      done(instance)
      return {}
    },
  } as never)
  return { module, instance }
}

/** Only the function that makes the memory grow answers with a boolean. */
function watched(imports: Imports, watch: Watch): Imports {
  const functions = Object.entries(imports['a']!).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value]
    const call = value as (...args: unknown[]) => unknown
    const watchedCall = (...args: unknown[]) => {
      watch.onCallOut()
      const answer = call(...args)
      if (answer === false) watch.onRefusedGrowth()
      return answer
    }
    return [name, watchedCall]
  })
  return { a: Object.fromEntries(functions) as Record<string, unknown> }
}
