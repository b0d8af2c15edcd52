// Gives the tests of this folder one pool per file, and short ways to run code, in the workers or on the main thread.
import { afterAll, beforeAll, vi } from 'vitest'
import { CodeError, type CodeResult } from '../engine/ports/sandbox.ts'
import { ShortCode } from './short-code.ts'
import { ShortRunner } from './short-runner.ts'
import { createSandbox } from './worker-pool.ts'

export interface Options {
  input?: unknown
  timeoutMs?: number
  memoryMb?: number
  signal?: AbortSignal
}

export type Place = 'the workers' | 'the main thread'
export const PLACES: Place[] = ['the workers', 'the main thread']

export function testSandbox(workers?: number, place: Place = 'the workers') {
  const isShort = place === 'the main thread'
  const short = isShort
    ? new ShortCode({ shortMs: Number.POSITIVE_INFINITY, runsBefore: 1 })
    : new ShortCode({ shortMs: 0 })
  const sandbox = createSandbox({ workers, short })
  const onMainThread = vi.spyOn(ShortRunner.prototype, 'run')
  const known = new Set<string>()
  afterAll(() => sandbox.close())
  if (isShort)
    beforeAll(async () => {
      for (const before = onMainThread.mock.calls.length; onMainThread.mock.calls.length === before; )
        await result('export default () => 1')
    })

  /** On the main thread a text is tried first in its second run; the first one is done here. */
  const result = async (
    code: string,
    { input, timeoutMs = 5000, memoryMb = 64, signal }: Options = {},
  ): Promise<CodeResult> => {
    const request = { code, input, timeoutMs, memoryBytes: memoryMb << 20, signal: signal ?? null }
    if (isShort && !known.has(code)) {
      known.add(code)
      await sandbox.run({ ...request, timeoutMs: Math.min(timeoutMs, 150) }).catch(() => {})
    }
    return sandbox.run(request)
  }

  return {
    sandbox,
    result,
    onMainThread,
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
