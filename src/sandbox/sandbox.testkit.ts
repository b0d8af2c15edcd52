// Gives the tests of this folder one pool per file, and short ways to run code.
import { afterAll } from 'vitest'
import { CodeError, type CodeResult } from '../engine/ports/sandbox.ts'
import { createSandbox } from './worker-pool.ts'

export interface Options {
  input?: unknown
  timeoutMs?: number
  memoryMb?: number
  signal?: AbortSignal
}

export function testSandbox(workers?: number) {
  const sandbox = createSandbox({ workers })
  afterAll(() => sandbox.close())

  const result = (
    code: string,
    { input, timeoutMs = 5000, memoryMb = 64, signal }: Options = {},
  ): Promise<CodeResult> => sandbox.run({ code, input, timeoutMs, memoryBytes: memoryMb << 20, signal: signal ?? null })

  return {
    sandbox,
    result,
    /** Returns the output of `export default <body>`. */
    run: async (body: string, options?: Options): Promise<unknown> =>
      (await result(`export default ${body}`, options)).output,
    failure: async (code: string, options?: Options): Promise<CodeError> => {
      try {
        const { output } = await result(code, options)
        throw new Error(`expected a failure, got ${JSON.stringify(output)?.slice(0, 200)}`)
      } catch (error) {
        if (error instanceof CodeError) return error
        throw error
      }
    },
  }
}
