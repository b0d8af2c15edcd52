import { expect, it } from 'vitest'
import { LoopWatch } from './loop-watch.ts'

function setUp() {
  const held: [number, string, string | null][] = []
  let time = 0
  const watch = new LoopWatch({
    held: (ms, last, runId) => held.push([ms, last, runId]),
    clock: () => time,
  })
  return {
    held,
    watch,
    pass: (ms: number) => {
      time += ms
    },
  }
}

it('names what was begun last when nothing else happened for long, also if other work comes before the timer', () => {
  const { watch, held, pass } = setUp()
  watch.begin('GET /a')
  pass(10)
  watch.begin('step set', 'run_1')
  pass(250)
  watch.begin('GET /b')
  watch.begin('GET /c')
  watch.tick()
  expect(held).toEqual([[250, 'step set', 'run_1']])
})

it('says nothing of a loop that is idle, or busy with many short things', () => {
  const { watch, held, pass } = setUp()
  for (let i = 0; i < 100; i++) {
    pass(50)
    watch.tick()
  }
  for (let i = 0; i < 100; i++) {
    pass(100)
    watch.begin('GET /a')
  }
  expect(held).toEqual([])
})
