import { expect, it } from 'vitest'
import { Engine } from './engine.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { ClaimedRun } from './ports/run-journal.ts'

const RUN = { id: 'run_1', flowId: 'flow_1', trigger: {} } as ClaimedRun

/** Returns an engine whose runs are read when `read` is called. No run may begin. */
function readingEngine(): { engine: Engine; read(): void } {
  const reading = Promise.withResolvers<void>()
  const ports = {
    journal: { claim: () => reading.promise.then(() => RUN) },
    now: () => 0,
    begins: () => {},
    replyRoom: null,
  } as unknown as EnginePorts
  return { engine: new Engine(ports, { forRun: async () => ({}) } as never), read: reading.resolve }
}

it.each<[string, (engine: Engine) => unknown, string]>([
  ['cancelled', (engine) => engine.cancel('run_1'), 'lost'],
  ['cancelled with all of its flow', (engine) => engine.cancelAllOf('flow_1'), 'lost'],
  ['interrupted by a stop', (engine) => engine.stop(0), 'interrupted'],
])('begins nothing of a run that is %s while it is read', async (_how, end, state) => {
  const { engine, read } = readingEngine()
  const advanced = engine.advance('run_1', null)
  await end(engine)
  read()
  expect(await advanced).toEqual({ state })
  const carried = engine.carry(RUN)
  await end(engine)
  expect(await carried).toEqual({ state })
})
