import { expect, it } from 'vitest'
import { renamedSteps } from './renamed-steps.ts'

const step = (id: string, kind = 'wait', more: object = {}) => ({ id, kind, ...more })
const flow = (...steps: object[]) => ({ name: 'x', trigger: {}, steps })

it('finds a step that has another id at the same place', () => {
  expect(renamedSteps(flow(step('a'), step('b')), flow(step('a'), step('c')))).toEqual([{ from: 'b', to: 'c' }])
  const loop = (id: string) => step('all', 'loop', { steps: [step(id)] })
  expect(renamedSteps(flow(loop('a')), flow(loop('b')))).toEqual([{ from: 'a', to: 'b' }])
})

it('takes nothing else for a new name', () => {
  expect(renamedSteps(flow(step('a')), flow(step('b', 'set')))).toEqual([])
  expect(renamedSteps(flow(step('a'), step('b')), flow(step('b'), step('a')))).toEqual([])
  expect(renamedSteps(flow(step('a')), flow(step('new'), step('a')))).toEqual([])
  expect(renamedSteps(flow(step('a'), step('b')), flow(step('b')))).toEqual([])
  expect(renamedSteps(null, { steps: 7 })).toEqual([])
})
