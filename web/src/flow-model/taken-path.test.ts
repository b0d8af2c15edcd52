import { describe, expect, it } from 'vitest'
import { layoutFlow } from './layout.ts'
import { sampleFlow } from './sample-flow.testkit.ts'
import { takenPath, type WalkedStep } from './taken-path.ts'

const ran = (id: string, output: unknown = {}, status = 'succeeded'): WalkedStep => ({ id, status, output })

describe('the taken path', () => {
  it('leads through the case that was taken, and on', () => {
    const walked = [ran('order'), ran('big', { case: 0 }), ran('tell'), ran('pause')]
    const { steps, lines } = takenPath(sampleFlow(), walked)
    expect([...steps]).toEqual(['/steps/0', '/steps/1', '/steps/1/cases/0/steps/0', '/steps/1/cases/0/steps/1'])
    expect(lines).toContain('/steps/1:fork:0')
    expect(lines).toContain('/steps/1:join:0')
    expect(lines).not.toContain('/steps/1:fork:1')
    expect(lines).not.toContain('/steps:2')
  })

  it('leads through an empty column that was taken', () => {
    const { lines } = takenPath(sampleFlow(), [ran('order'), ran('big', { case: null }), ran('lines', { count: 0 })])
    expect(lines).toContain('/steps/1:fork:2')
    expect(lines).toContain('/steps/1/otherwise:0')
    expect(lines).toContain('/steps/1:join:2')
    expect(lines).not.toContain('/steps/2/steps:0')
  })

  it('ends at the step that failed', () => {
    const { steps, lines } = takenPath(sampleFlow(), [ran('order', null, 'failed')])
    expect([...steps]).toEqual(['/steps/0'])
    expect([...lines]).toEqual(['/steps:0'])
  })

  it('goes to the end of the flow, by lines that the layout draws', () => {
    const flow = sampleFlow()
    const all = ['order', 'lines', 'line', 'parts', 'part', 'done'].map((id) => ran(id))
    const { lines } = takenPath(flow, [...all, ran('big', { case: 1 }), ran('wrong', null, 'failed')])
    const drawn = new Set(layoutFlow(flow).lines.map(({ id }) => id))
    expect([...lines].filter((id) => !drawn.has(id))).toEqual([])
    expect(lines).toContain('/steps:4')
    expect(lines).not.toContain('/steps/1:join:1')
  })
})
