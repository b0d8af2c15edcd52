// Types for the part of WebAssembly in use: TypeScript declares them in the browser's library only.

export interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
/** Compiled code, shared by instances. */
export type CompiledModule = object
export type Imports = Record<string, Record<string, unknown>>
export interface Instance {
  readonly exports: Record<string, unknown>
}
export interface Global {
  value: number
}
export interface Table {
  readonly length: number
  grow(entries: number): number
  set(index: number, fn: unknown): void
}

interface Api {
  Memory: new (size: { initial: number; maximum: number }) => Memory
  Module: new (bytes: Uint8Array) => CompiledModule
  Instance: new (module: CompiledModule, imports: Imports) => Instance
}

export const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: Api }).WebAssembly
