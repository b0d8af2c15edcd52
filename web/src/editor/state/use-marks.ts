// Several steps chosen together: to be copied, duplicated or deleted as one.
import { useCallback } from 'react'
import { allSteps, isInside, type StepPlace, stepKeys } from '../../flow-model/flow-tree.ts'
import { type EditorValue, useEditor } from './editor-context.tsx'

interface Marks {
  marked: ReadonlySet<string>
  mark(key: string, how: 'toggle' | 'range'): void
  clear(): void
}

const NOTHING: ReadonlySet<string> = new Set()

export function useMarks(): Marks {
  const { document, selected, marked, setMarked } = useEditor()
  const mark = useCallback(
    (key: string, how: 'toggle' | 'range') => {
      const next = new Set(startOfMarks({ document, selected, marked }))
      if (how === 'toggle') {
        if (!next.delete(key)) next.add(key)
      } else for (const between of keysBetween({ document, selected }, key)) next.add(between)
      setMarked(next)
    },
    [document, selected, marked, setMarked],
  )
  const clear = useCallback(() => setMarked(NOTHING), [setMarked])
  return { marked, mark, clear }
}

/** Whoever chooses a second step means the selected one too. */
export function startOfMarks({
  document,
  selected,
  marked,
}: Pick<EditorValue, 'document' | 'selected' | 'marked'>): ReadonlySet<string> {
  if (marked.size > 0 || !selected) return marked
  return new Set([stepKeys(document).get(selected.path)!])
}

/** From the selected step to this one, in the order in which the flow is read. */
function keysBetween({ document, selected }: Pick<EditorValue, 'document' | 'selected'>, key: string): string[] {
  const keys = [...stepKeys(document).values()]
  const own = selected ? keys.indexOf(stepKeys(document).get(selected.path)!) : 0
  const [from, to] = [own, keys.indexOf(key)].sort((a, b) => a - b)
  return keys.slice(from, to! + 1)
}

/** The steps that are meant: those chosen together, or the selected one. A step inside another that is meant goes along with it. */
export function chosenPlaces({
  document,
  selected,
  marked,
}: Pick<EditorValue, 'document' | 'selected' | 'marked'>): StepPlace[] {
  if (marked.size === 0) return selected ? [selected] : []
  const keys = stepKeys(document)
  const places = allSteps(document).filter(({ path }) => marked.has(keys.get(path)!))
  return places.filter(({ path }) => !places.some((other) => other.path !== path && isInside(path, other.path)))
}
