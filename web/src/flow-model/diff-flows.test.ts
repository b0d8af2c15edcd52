import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffFlows } from './diff-flows.ts'
import { deleteStep, insertStep, moveStep, renameStep } from './edit-steps.ts'
import { allSteps, type EditedFlow, nestedLists, withValue } from './flow-tree.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

const changes = (after: EditedFlow, before = sampleFlow()) =>
  diffFlows(before, after).map(({ kind, subject, summary }) => `${kind} ${subject}: ${summary}`)

describe('the difference between two flows', () => {
  it('is nothing between equal ones', () => expect(changes(structuredClone(sampleFlow()))).toEqual([]))

  it('names settings with their values before and after', () => {
    const url = withValue(sampleFlow(), '/steps/0/url', 'https://new.example')
    const after = withValue(url, '/steps/0/retry', { attempts: 3 })
    expect(diffFlows(sampleFlow(), after)).toEqual([
      {
        kind: 'changed',
        subject: 'order',
        path: '/steps/0',
        stepKind: 'http',
        summary: 'Changed url, retry',
        details: [
          {
            setting: 'url',
            before: 'https://api.example.com/orders/{{ webhook.body.id }}',
            after: 'https://new.example',
          },
          { setting: 'retry', before: undefined, after: { attempts: 3 } },
        ],
      },
    ])
  })

  it('goes down to the smallest value, and leaves the steps inside a step to themselves', () => {
    const when = withValue(sampleFlow(), '/steps/1/cases/0/when', '{{ true }}')
    const [change, inner] = diffFlows(sampleFlow(), withValue(when, '/steps/1/cases/0/steps/1/seconds', 6))
    expect(change!.details.map(({ setting }) => setting)).toEqual(['cases[0].when'])
    expect(inner).toMatchObject({ subject: 'pause', details: [{ setting: 'seconds', before: 5, after: 6 }] })
  })

  it('tells the name and the trigger apart from the steps', () => {
    const after = withValue({ ...sampleFlow(), name: 'Sales' }, '/trigger/dedupe/window', 60)
    expect(changes(after)).toEqual(['changed Flow: Renamed', 'changed Trigger: Changed dedupe'])
  })

  it('says where a step was added, and where one stood', () => {
    const added = insertStep(sampleFlow(), { list: '/steps/2/steps', index: 0 }, { id: 'new', kind: 'stop' }).document
    expect(changes(added)).toEqual(['added new: Added at the beginning of the loop lines'])
    expect(changes(deleteStep(sampleFlow(), '/steps/1'))).toEqual([
      'removed big: Removed; it stood after order',
      'removed tell: Removed; it stood at the beginning of case 1 of big',
      'removed pause: Removed; it stood after tell',
      'removed wrong: Removed; it stood at the beginning of case 2 of big',
    ])
  })

  it('calls only the moved step moved', () => {
    const down = moveStep(sampleFlow(), '/steps/0', { list: '/steps', index: 4 })!.document
    expect(changes(down)).toEqual(['moved order: Moved after done'])
    const into = moveStep(sampleFlow(), '/steps/3', { list: '/steps/1/otherwise', index: 0 })!.document
    expect(changes(into)).toEqual(['moved done: Moved at the beginning of otherwise in big'])
  })

  it('knows a renamed step, and the references that follow it', () => {
    expect(changes(renameStep(sampleFlow(), '/steps/0', 'sale'))).toEqual([
      'changed sale: Changed id',
      'changed big: Changed cases',
      'changed lines: Changed each',
    ])
  })
})

it('says one thing about one moved step, wherever it goes', () => {
  const flow = sampleFlow()
  const positions = [
    '/steps',
    ...allSteps(flow).flatMap(({ step, path }) => nestedLists(step).map(({ key }) => path + key)),
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...allSteps(flow)),
      fc.constantFrom(...positions),
      fc.nat(3),
      ({ path, step }, list, index) => {
        const result = moveStep(flow, path, { list, index })
        // Past the end of the list where it stands last, it stays.
        if (!result || JSON.stringify(result.document) === JSON.stringify(flow)) return
        const found = diffFlows(flow, result.document)
        expect(found.every(({ kind }) => kind === 'moved')).toBe(true)
        // Neighbours that changed places may each be said to have moved past the other.
        expect(found).toHaveLength(1)
        expect([step.id, ...flow.steps.map(({ id }) => id), 'tell', 'pause', 'line', 'parts']).toContain(
          found[0]!.subject,
        )
      },
    ),
  )
})
