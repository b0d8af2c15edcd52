import { describe, expect, it } from 'vitest'
import { roundStatus, runTree, type StepNode } from './run-tree.ts'
import { failedStep, failure, step } from './sample-steps.testkit.ts'

const shape = (nodes: StepNode[]): unknown =>
  nodes.map((node) => [
    node.step.path,
    ...(node.children.length ? [shape(node.children)] : []),
    ...(node.loop ? [node.loop.rounds.map((round) => [round.path, shape(round.steps)])] : []),
  ])

describe('the tree of a run', () => {
  it('nests the steps of branches and of rounds', () => {
    const tree = runTree([
      step('order', 0, 1),
      step('big', 1, 5, { kind: 'branch' }),
      step('big/tell', 2, 3),
      step('big/all', 3, 5, { kind: 'loop' }),
      step('big/all[0]/send', 3, 4),
      step('big/all[1]/send', 4, 5),
    ])
    expect(shape(tree)).toEqual([
      ['order'],
      [
        'big',
        [
          ['big/tell'],
          [
            'big/all',
            [
              ['big/all[0]', [['big/all[0]/send']]],
              ['big/all[1]', [['big/all[1]/send']]],
            ],
          ],
        ],
      ],
    ])
  })

  it('keeps the rounds of each attempt of a loop apart, and counts those of the last', () => {
    const [all] = runTree([
      step('all', 0, 9, { kind: 'loop', attempt: 2 }),
      step('all[0]/send', 0, 1),
      failedStep('all[1]/send', 1, 2),
      step('all#2[0]/send', 3, 4),
    ])
    expect(all!.loop!.rounds.map(({ path }) => path)).toEqual(['all[0]', 'all[1]', 'all#2[0]'])
    expect(all!.loop).toMatchObject({ total: 1, failed: 0 })
  })

  it('sorts rounds that ran at once by their index', () => {
    const [all] = runTree([
      step('all', 0, 9, { kind: 'loop' }),
      step('all[2]/send', 0, 1),
      step('all[0]/send', 0, 1),
      step('all[1]/send', 0, 1),
    ])
    expect(all!.loop!.rounds.map(({ index }) => index)).toEqual([0, 1, 2])
  })

  it('counts rounds whose steps are not here, from what the loop says of itself', () => {
    const [all] = runTree([
      step('all', 0, 9, {
        kind: 'loop',
        input: { count: 20_000 },
        output: { count: 20_000, results: [], errors: [{ index: 19_000, item: 1, error: failure }] },
      }),
      step('all[0]/send', 0, 1),
    ])
    expect(all!.loop).toMatchObject({ total: 20_000, failed: 1 })
  })

  it('lets a step fail that the flow goes on after, without failing its round', () => {
    const steps = [step('all', 0, 9, { kind: 'loop' }), failedStep('all[0]/ask', 0, 1), step('all[0]/send', 1, 2)]
    expect(runTree(steps)[0]!.loop!.failed).toBe(1)
    expect(runTree(steps, new Set(['ask']))[0]!.loop!.failed).toBe(0)
  })

  it('gives a round the state of what still runs in it', () => {
    const [all] = runTree([
      step('all', 0, null, { kind: 'loop' }),
      step('all[0]/send', 0, 1),
      step('all[0]/rest', 1, null, { kind: 'wait', status: 'waiting' }),
      step('all[1]/send', 1, null),
    ])
    expect(all!.loop!.rounds.map((round) => roundStatus(round))).toEqual(['waiting', 'running'])
  })

  it('shows a step whose surroundings are not here at the top', () => {
    expect(shape(runTree([step('all[7000]/send', 0, 1)]))).toEqual([['all[7000]/send']])
  })
})
