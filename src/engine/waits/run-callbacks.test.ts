import { describe, expect, it } from 'vitest'
import type { CallbackRecord } from '../../operations/ports/callbacks/callbacks.ts'
import { runOf, set, useEngine, world } from '../world.testkit.ts'

useEngine()

const wait = (callback: object = {}) => ({ id: 'w', kind: 'wait', callback })
const dataOf = (body: unknown) => ({ body, headers: {}, query: {}, rawBody: JSON.stringify(body), receivedAt: '' })
let count = 0
const answerOf = (body: unknown) => ({
  id: `answer_${++count}`,
  digest: JSON.stringify(body),
  data: dataOf(body),
  receivedAt: world.time,
  by: null,
})

type Run = Awaited<ReturnType<typeof runOf>>
const recordOf = async ({ callbacks, id }: Run): Promise<CallbackRecord> => (await callbacks.ofRun(id))[0]!
const answer = async (run: Run, body: unknown) => run.callbacks.answer(await recordOf(run), answerOf(body))
const early = async (run: Run, body: unknown) => run.callbacks.keepEarly(await recordOf(run), answerOf(body))
const outputOf = async (run: Run) => (await run.step('w'))?.output

describe('a run that waits for a callback', () => {
  it('parks until its time is over, and is due with its answer', async () => {
    const run = await runOf([wait({ timeout: 60 })])
    expect(await run.advance()).toMatchObject({ state: 'parked', placeGiven: true })
    expect(await run.due()).toBe(false)
    expect(await answer(run, 7)).toBe(true)
    expect(await run.due()).toBe(true)
    expect(await answer(run, 8)).toBe(false)
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await outputOf(run)).toMatchObject({ body: 7, timedOut: false })
  })

  it('is due at once if the answer comes between the opening and the parking', async () => {
    const run = await runOf([wait()])
    const { open } = run.callbacks
    run.callbacks.open = async (...given) => {
      await open(...given)
      expect(await answer(run, 7)).toBe(true)
    }
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await outputOf(run)).toMatchObject({ body: 7 })
  })

  it('is due at once if the answer comes after its last look', async () => {
    const run = await runOf([wait()])
    const { of } = run.callbacks
    let looks = 0
    run.callbacks.of = async (given) => {
      const found = await of(given)
      // The second look finds the callback open: the answer comes while the run is about to be written as waiting.
      if (++looks === 2) await answer(run, 7)
      return found
    }
    expect(await run.advance()).toMatchObject({ state: 'parked' })
    expect(await run.due()).toBe(true)
    expect(await run.advance()).toEqual({ state: 'finished' })
  })

  it('takes an early answer that comes while it looks at others', async () => {
    const run = await runOf([set('a', { url: '{{ callbacks.w.url }}' }), wait({ when: '{{ callback.body == 2 }}' })])
    const { unseen } = run.callbacks
    let comes = true
    run.callbacks.unseen = async (id, limit) => {
      const found = await unseen(id, limit)
      if (comes) expect(await early(run, 2)).toBe('kept')
      comes = false
      return found
    }
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await outputOf(run)).toMatchObject({ body: 2 })
  })

  it('times out once, whatever comes afterwards, and finds that out again after a crash', async () => {
    const run = await runOf([wait({ timeout: 60, onTimeout: 'continue' })])
    await run.advance()
    world.time += 60_000
    const { timeOut } = run.callbacks
    run.callbacks.timeOut = async (id) => {
      await timeOut(id)
      throw new Error('killed')
    }
    await expect(run.advance()).rejects.toThrow('killed')
    expect(await answer(run, 7)).toBe(false)
    run.callbacks.timeOut = timeOut
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await outputOf(run)).toMatchObject({ body: null, timedOut: true })
  })

  it('goes on with an answer that came just before its time was over', async () => {
    const run = await runOf([wait({ timeout: 60 })])
    await run.advance()
    world.time += 60_000
    const { timeOut } = run.callbacks
    run.callbacks.timeOut = async (id) => {
      await answer(run, 7)
      return timeOut(id)
    }
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await outputOf(run)).toMatchObject({ body: 7, timedOut: false })
    expect((await recordOf(run)).state).toBe('answered')
  })

  it('has one URL for every attempt of the steps around it, and one per round', async () => {
    const inner = [set('a', { url: '{{ callbacks.w.url }}' }), wait(), { id: 'f', kind: 'fail', message: 'no' }]
    const run = await runOf([
      {
        id: 'b',
        kind: 'branch',
        cases: [{ when: true, steps: inner }],
        retry: { attempts: 2, delay: 1, on: ['error'] },
      },
    ])
    await run.advance()
    const { id } = await recordOf(run)
    expect(await answer(run, 1)).toBe(true)
    await run.advance()
    world.time += 10_000
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.callbacks.ofRun(run.id)).map((one) => one.id)).toEqual([id])
    expect((await run.step('b#2/w'))?.output).toMatchObject({ body: 1 })
  })

  it('keeps of the run only what its condition reads', async () => {
    const run = await runOf([
      set('a', { order: { id: 7, note: 'long' }, other: 1 }),
      wait({ when: '{{ callback.body == vars.order.id && webhook.body.x != 1 }}' }),
    ])
    await run.advance()
    const reads = await run.callbacks.reads((await recordOf(run)).id)
    expect(reads).toEqual({ vars: { order: { id: 7 } }, webhook: { body: {} } })
  })
})
