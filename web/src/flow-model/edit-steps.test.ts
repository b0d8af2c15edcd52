import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeKind,
  deleteStep,
  duplicateStep,
  freshId,
  insertCopies,
  insertStep,
  moveStep,
  moveTowards,
  newStep,
  renameStep,
} from './edit-steps.ts'
import { allSteps, type EditedFlow, findStep, nestedLists, stepKeys, valueAt, withValue } from './flow-tree.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

const outline = (document: EditedFlow) => allSteps(document).map(({ path, step }) => `${path} ${step.id}`)
const pathOf = (document: EditedFlow, id: string) => findStep(document, id)!.path
const wait = { id: 'wait', kind: 'wait', seconds: 1 }

describe('finding steps', () => {
  it('lists them in reading order with their pointers', () => {
    expect(outline(sampleFlow())).toEqual([
      '/steps/0 order',
      '/steps/1 big',
      '/steps/1/cases/0/steps/0 tell',
      '/steps/1/cases/0/steps/1 pause',
      '/steps/1/cases/1/steps/0 wrong',
      '/steps/2 lines',
      '/steps/2/steps/0 line',
      '/steps/2/steps/1 parts',
      '/steps/2/steps/1/steps/0 part',
      '/steps/3 done',
    ])
  })

  it('names a step by its pointer where its id is missing or used twice', () => {
    const flow = { ...sampleFlow(), steps: [wait, { ...wait }, { ...wait, id: '' }, { ...wait, id: 'own' }] }
    expect([...stepKeys(flow).values()]).toEqual(['/steps/0', '/steps/1', '/steps/2', 'own'])
    expect(findStep(flow, '/steps/1')!.index).toBe(1)
  })

  it('offers the otherwise of a branch that has none', () => {
    expect(nestedLists(sampleFlow().steps[1]!).map(({ key, role }) => [key, role])).toEqual([
      ['/cases/0/steps', 'case'],
      ['/cases/1/steps', 'case'],
      ['/otherwise', 'otherwise'],
    ])
  })
})

describe('values by pointer', () => {
  it('replaces one value and keeps every other object as it is', () => {
    const before = sampleFlow()
    const after = withValue(before, '/steps/1/cases/0/name', 'Huge')
    expect(valueAt(after, '/steps/1/cases/0/name')).toBe('Huge')
    expect(after.steps[0]).toBe(before.steps[0])
    expect(after.trigger).toBe(before.trigger)
    expect(valueAt(before, '/steps/1/cases/0/name')).toBe('Large')
  })

  it('removes, appends, makes what is missing, and reads escaped keys', () => {
    expect(withValue({ a: { b: 1, c: 2 } }, '/a/b', undefined)).toEqual({ a: { c: 2 } })
    expect(withValue({ a: [1] }, '/a/1', 2)).toEqual({ a: [1, 2] })
    expect(withValue({}, '/a/b', 1)).toEqual({ a: { b: 1 } })
    expect(withValue({ 'x/y': { '~': 1 } }, '/x~1y/~0', 2)).toEqual({ 'x/y': { '~': 2 } })
    expect(valueAt({ a: 1 }, '/toString')).toBeUndefined()
  })
})

describe('inserting and deleting', () => {
  it('inserts after a step, into a case, into an otherwise that was not there, and into a loop', () => {
    for (const [list, index, path] of [
      ['/steps', 1, '/steps/1'],
      ['/steps/1/cases/1/steps', 9, '/steps/1/cases/1/steps/1'],
      ['/steps/1/otherwise', 0, '/steps/1/otherwise/0'],
      ['/steps/2/steps/1/steps', 0, '/steps/2/steps/1/steps/0'],
    ] as const) {
      const result = insertStep(sampleFlow(), { list, index }, wait)
      expect(result.path).toBe(path)
      expect(valueAt(result.document, path)).toEqual(wait)
      expect(allSteps(result.document)).toHaveLength(11)
    }
  })

  it('leaves no empty otherwise behind', () => {
    const { document, path } = insertStep(sampleFlow(), { list: '/steps/1/otherwise', index: 0 }, wait)
    expect(deleteStep(document, path)).toEqual(sampleFlow())
  })

  it('gives a new step an id of its own and settings that can be saved', () => {
    const flow = insertStep(sampleFlow(), { list: '/steps', index: 0 }, newStep(sampleFlow(), 'http')).document
    expect(newStep(flow, 'http')).toEqual({ id: 'request_2', kind: 'http', method: 'GET', url: '' })
  })
})

describe('moving', () => {
  const moved = (id: string, direction: Parameters<typeof moveTowards>[2]) => {
    const flow = sampleFlow()
    const result = moveTowards(flow, pathOf(flow, id), direction)
    if (result) expect(valueAt(result.document, `${result.path}/id`)).toBe(id)
    return result && pathOf(result.document, id)
  }

  it('goes up and down among its neighbours, and out at the ends', () => {
    expect(moved('big', 'up')).toBe('/steps/0')
    expect(moved('order', 'down')).toBe('/steps/1')
    expect(moved('tell', 'up')).toBe('/steps/1')
    expect(moved('pause', 'down')).toBe('/steps/2')
    expect(moved('order', 'up')).toBe(null)
    expect(moved('done', 'down')).toBe(null)
  })

  it('goes into the branch or loop above it, from case to case, and out again', () => {
    expect(moved('lines', 'right')).toBe('/steps/1/cases/0/steps/2')
    expect(moved('done', 'right')).toBe('/steps/2/steps/2')
    expect(moved('tell', 'right')).toBe('/steps/1/cases/1/steps/1')
    expect(moved('wrong', 'right')).toBe('/steps/1/otherwise/0')
    expect(moved('wrong', 'left')).toBe('/steps/1/cases/0/steps/2')
    expect(moved('tell', 'left')).toBe('/steps/2')
    expect(moved('order', 'left')).toBe(null)
  })

  it('refuses to move a step into itself', () => {
    expect(moveStep(sampleFlow(), '/steps/2', { list: '/steps/2/steps/1/steps', index: 0 })).toBe(null)
  })

  it('keeps every step, once, wherever one is moved', () => {
    const flow = sampleFlow()
    const steps = allSteps(flow)
    const positions = [
      '/steps',
      ...steps.flatMap(({ step, path }) => nestedLists(step).map(({ key }) => path + key)),
    ].flatMap((list) => [0, 1, 2, 3].map((index) => ({ list, index })))
    fc.assert(
      fc.property(fc.constantFrom(...steps), fc.constantFrom(...positions), ({ path, step }, to) => {
        const result = moveStep(flow, path, to)
        if (!result) return
        expect(valueAt(result.document, result.path)).toBe(step)
        expect(
          allSteps(result.document)
            .map((place) => place.step.id)
            .sort(),
        ).toEqual(steps.map((place) => place.step.id).sort())
      }),
    )
  })
})

describe('copying', () => {
  it('gives copies fresh ids and follows the references among them', () => {
    const flow = sampleFlow()
    const { document, path } = duplicateStep(flow, pathOf(flow, 'lines'))
    expect(path).toBe('/steps/3')
    expect(document.steps[3]).toMatchObject({
      id: 'lines_2',
      each: '{{ steps.order.body.lines }}',
      collect: '{{ steps.line_2.body.id }}',
      steps: [
        { id: 'line_2' },
        {
          id: 'parts_2',
          while: '{{ loop.index < loops.lines_2.item.parts }}',
          steps: [{ id: 'part_2', vars: { part: '{{ loops.lines_2.item.id }}-{{ loop.index }}' } }],
        },
      ],
    })
    expect(document.steps[2]).toBe(flow.steps[2])
    expect(document.steps[4]).toBe(flow.steps[3])
  })

  it('keeps ids that are free, and gives pasted steps without one an id', () => {
    const empty = { ...sampleFlow(), steps: [] }
    const { document } = insertCopies(empty, { list: '/steps', index: 0 }, [wait, { kind: 'stop' } as never, wait])
    expect(document.steps.map(({ id }) => id)).toEqual(['wait', 'stop', 'wait_2'])
  })

  it.each([
    ['sale', 'sale'],
    ['order', 'order_3'],
    ['order_2', 'order_3'],
    ['Läs Order!', 'l_s_order_'],
    ['9 lives', 'lives'],
    ['', 'step'],
  ])('makes an id of %s: %s', (wanted, id) => {
    expect(freshId(wanted, new Set(['order', 'order_2']))).toBe(id)
  })
})

describe('renaming', () => {
  const flow: EditedFlow = {
    name: 'R',
    trigger: { kind: 'webhook', response: { mode: 'finished', body: { total: '{{ steps.order.body.total }}' } } },
    steps: [
      { id: 'order', kind: 'http', url: 'https://x.example/order', name: 'Reads {{ steps.order }}' },
      {
        id: 'use',
        kind: 'set',
        vars: {
          a: "{{ steps.order.body }} {{ steps?.order?.x }} {{ steps['order'].body['order'] }} steps.order",
          b: '{{ steps.orders.x + steps.order_2 }}',
          c: '{{ webhook.body.steps.order }}',
          d: '{{ [1].map(steps => steps.order) }}',
          e: '{{ steps.order. }}',
          f: '{{ callbacks.order.url }}',
          order: 1,
        },
      },
      { id: 'js', kind: 'code', input: '{{ steps.order }}', code: 'export default () => "{{ steps.order }}"' },
    ],
  }

  it('changes the references and nothing that only looks like one', () => {
    const renamed = renameStep(flow, '/steps/0', 'sale')
    expect(renamed.steps[0]).toEqual({ ...flow.steps[0], id: 'sale' })
    expect(renamed.trigger).toEqual({
      kind: 'webhook',
      response: { mode: 'finished', body: { total: '{{ steps.sale.body.total }}' } },
    })
    expect(renamed.steps[1]).toEqual({
      id: 'use',
      kind: 'set',
      vars: {
        a: "{{ steps.sale.body }} {{ steps?.sale?.x }} {{ steps['sale'].body['order'] }} steps.order",
        b: '{{ steps.orders.x + steps.order_2 }}',
        c: '{{ webhook.body.steps.order }}',
        d: '{{ [1].map(steps => steps.order) }}',
        e: '{{ steps.sale. }}',
        f: '{{ callbacks.sale.url }}',
        order: 1,
      },
    })
    expect(renamed.steps[2]).toEqual({ ...flow.steps[2], input: '{{ steps.sale }}' })
  })

  it('leaves the references alone while two steps share the id', () => {
    const twice = { ...flow, steps: [flow.steps[0]!, ...flow.steps] }
    expect(renameStep(twice, '/steps/0', 'sale').steps.slice(1)).toEqual(flow.steps)
  })

  it('undoes itself', () => {
    const sample = sampleFlow()
    fc.assert(
      fc.property(fc.constantFrom(...allSteps(sample)), ({ path, step }) => {
        expect(renameStep(renameStep(sample, path, 'fresh'), path, step.id)).toEqual(sample)
      }),
    )
  })
})

describe('changing the kind', () => {
  it('keeps what every kind has', () => {
    const flow = withValue(sampleFlow(), '/steps/0', { ...sampleFlow().steps[0], name: 'N', onError: 'continue' })
    expect(changeKind(flow, '/steps/0', 'wait').steps[0]).toEqual({
      id: 'order',
      kind: 'wait',
      name: 'N',
      onError: 'continue',
      seconds: 5,
    })
  })
})
