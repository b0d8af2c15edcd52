// What changed between two flow documents, step by step, in words and values: for publishing, conflicts and versions.
import type { StepDocument } from '../../../src/flow/document.ts'
import { allSteps, type EditedFlow, nestedLists, ON_FAILURE, type StepPlace } from './flow-tree.ts'
import { isObject } from './is-object.ts'

export interface Change {
  kind: 'added' | 'removed' | 'moved' | 'changed'
  /** Of what it is: a step's id, "Trigger", "When a run fails" or "Flow". */
  subject: string
  /** The step's pointer in the later document; null where it is not there any more, or for the flow as a whole. */
  path: string | null
  stepKind: string | null
  summary: string
  details: Detail[]
}

export interface Detail {
  /** `body.value.text`, `cases[0].when`. */
  setting: string
  /** Undefined where the setting was not there, or is not there any more. */
  before: unknown
  after: unknown
}

export function diffFlows(before: EditedFlow, after: EditedFlow): Change[] {
  const changes: Change[] = []
  const { trigger: _before, steps: _beforeSteps, onFailure: _beforeFailure, ...head } = before
  const { trigger: _after, steps: _afterSteps, onFailure: _afterFailure, ...laterHead } = after
  const headChanges = differences(head, laterHead)
  if (headChanges.length)
    changes.push({
      kind: 'changed',
      subject: 'Flow',
      path: null,
      stepKind: null,
      summary: headChanges.every(({ setting }) => setting === 'name') ? 'Renamed' : settingsIn(headChanges),
      details: headChanges,
    })
  const tags = differences({ tags: before.tags }, { tags: after.tags })
  if (tags.length)
    changes.push({ kind: 'changed', subject: 'Flow', path: null, stepKind: null, summary: 'Other tags', details: tags })
  const trigger = differences(before.trigger, after.trigger)
  if (trigger.length)
    changes.push({
      kind: 'changed',
      subject: 'Trigger',
      path: '/trigger',
      stepKind: null,
      summary: settingsIn(trigger),
      details: trigger,
    })
  const handled = handledBy(after)
  if (handledBy(before) !== handled)
    changes.push({
      kind: 'changed',
      subject: 'When a run fails',
      path: ON_FAILURE,
      stepKind: null,
      summary: handled,
      details: [],
    })
  return [...changes, ...stepChanges(before, after)]
}

/** What is done with failed runs; steps are told one by one. */
function handledBy({ onFailure }: EditedFlow): string {
  if (onFailure === undefined) return 'Nothing of its own is done'
  return Array.isArray(onFailure) ? 'Steps run' : `The flow ${String(onFailure.flow)} is called`
}

function stepChanges(before: EditedFlow, after: EditedFlow): Change[] {
  const matches = matched(before, after)
  const earlier = new Map([...matches].map(([late, early]) => [early.path, late]))
  const moved = movedSteps(matches, after)
  const changes: Change[] = []
  for (const place of allSteps(after)) {
    const early = matches.get(place.path)
    const base = { subject: place.step.id, path: place.path, stepKind: place.step.kind }
    if (!early) {
      changes.push({ ...base, kind: 'added', summary: `Added ${whereOf(after, place)}`, details: [] })
      continue
    }
    const details = differences(ownSettings(early.step), ownSettings(place.step))
    const isMoved = moved.has(place.path)
    if (!isMoved && details.length === 0) continue
    const summary = [
      ...(isMoved ? [`Moved ${whereOf(after, place)}`] : []),
      ...(details.length ? [settingsIn(details)] : []),
    ].join('; ')
    changes.push({ ...base, kind: details.length ? 'changed' : 'moved', summary, details })
  }
  for (const place of allSteps(before))
    if (!earlier.has(place.path))
      changes.push({
        kind: 'removed',
        subject: place.step.id,
        path: null,
        stepKind: place.step.kind,
        summary: `Removed; it stood ${whereOf(before, place)}`,
        details: [],
      })
  return changes
}

/** Pointer of a later step → the earlier one that it was: by its id, or by its place where only the id changed. */
function matched(before: EditedFlow, after: EditedFlow): Map<string, StepPlace> {
  const early = allSteps(before)
  const late = allSteps(after)
  const firstById = (places: StepPlace[]) => new Map(places.toReversed().map((place) => [place.step.id, place]))
  const [earlyById, lateById] = [firstById(early), firstById(late)]
  const matches = new Map<string, StepPlace>()
  for (const place of late) {
    const same = earlyById.get(place.step.id)
    if (same && lateById.get(place.step.id) === place) matches.set(place.path, same)
  }
  for (const place of late) {
    const there = early.find(({ path }) => path === place.path)
    const isRenamed =
      there?.step.kind === place.step.kind && !earlyById.has(place.step.id) && !lateById.has(there.step.id)
    if (!matches.has(place.path) && isRenamed) matches.set(place.path, there!)
  }
  return matches
}

/** Steps in another list than before, and as few as explain the new order of those that stayed in theirs. */
function movedSteps(matches: Map<string, StepPlace>, after: EditedFlow): Set<string> {
  const moved = new Set<string>()
  const lists = new Map<string, StepPlace[]>()
  for (const place of allSteps(after)) {
    const early = matches.get(place.path)
    if (!early) continue
    if (containerOf(early) !== containerOf(place, matches)) moved.add(place.path)
    else lists.set(place.list, [...(lists.get(place.list) ?? []), place])
  }
  for (const places of lists.values()) {
    const order = places.map(({ path }) => matches.get(path)!.index)
    const kept = longestRise(order)
    for (const [i, { path }] of places.entries()) if (!kept.has(i)) moved.add(path)
  }
  return moved
}

/** The list a step stands in, by the id that the step around it had before. */
function containerOf({ list, parent }: StepPlace, matches?: Map<string, StepPlace>): string {
  if (!parent) return list
  const step = matches?.get(parent.place.path)?.step ?? parent.place.step
  return `${step.id}${parent.nested.key}`
}

/** The positions of a longest rising subsequence. */
function longestRise(numbers: number[]): Set<number> {
  const length = numbers.map(() => 1)
  const previous = numbers.map(() => -1)
  for (let i = 0; i < numbers.length; i++)
    for (let j = 0; j < i; j++)
      if (numbers[j]! < numbers[i]! && length[j]! + 1 > length[i]!) {
        length[i] = length[j]! + 1
        previous[i] = j
      }
  const kept = new Set<number>()
  for (let at = length.indexOf(Math.max(0, ...length)); at >= 0; at = previous[at]!) kept.add(at)
  return kept
}

/** "after order", "at the beginning of the loop lines", "at the beginning of case 1 of big". */
function whereOf(document: EditedFlow, { list, index, parent }: StepPlace): string {
  const above = index > 0 ? allSteps(document).find((place) => place.path === `${list}/${index - 1}`) : undefined
  if (above) return `after ${above.step.id}`
  if (list === ON_FAILURE) return 'at the beginning of what is done when a run fails'
  return `at the beginning${parent ? ` of ${listName(parent)}` : ''}`
}

function listName({ place, nested }: NonNullable<StepPlace['parent']>): string {
  if (nested.role === 'body') return `the loop ${place.step.id}`
  if (nested.role === 'otherwise') return `otherwise in ${place.step.id}`
  if (nested.role === 'lane') return `${nested.name} of ${place.step.id}`
  return `case ${nested.index + 1} of ${place.step.id}`
}

/** Everything of a step but the steps inside it. */
function ownSettings(step: StepDocument): Record<string, unknown> {
  const lists = nestedLists(step)
  if (lists.length === 0) return step
  const { steps: _steps, otherwise: _otherwise, ...own } = step
  const columns = Object.entries(own).filter(([key]) => key === 'cases' || key === 'branches')
  for (const [key, list] of columns)
    if (Array.isArray(list))
      own[key] = list.map((one: Record<string, unknown>) => {
        const { steps: _nested, ...rest } = one
        return rest
      })
  return own
}

function settingsIn(details: Detail[]): string {
  const names = [...new Set(details.map(({ setting }) => setting.split(/[.[]/, 1)[0]!))]
  return `Changed ${names.slice(0, 4).join(', ')}${names.length > 4 ? ` and ${names.length - 4} more` : ''}`
}

/** The smallest values that differ, each with its place. */
export function differences(before: unknown, after: unknown, at = ''): Detail[] {
  if (Object.is(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, i) => differences(before[i], after[i], `${at}[${i}]`)).flat()
  }
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => differences(own(before, key), own(after, key), at === '' ? key : `${at}.${key}`))
  }
  return [{ setting: at, before, after }]
}

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
