// How each step stood when it gave its result: one that was edited since has an old result, one that was only renamed has not.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { renamedSteps } from '../../../../src/flow/renamed-steps.ts'
import { allSteps, type EditedFlow } from '../../flow-model/flow-tree.ts'

/** By step id. */
type Texts = ReadonlyMap<string, string>

const textsOf = (document: EditedFlow): Texts =>
  new Map(allSteps(document).map(({ step: { id, name: _name, ...settings } }) => [id, JSON.stringify(settings)]))

export type Renaming = { from: string; to: string }

export interface TestedSteps {
  old: ReadonlySet<string>
  /** These steps gave their results just now; null: all of them. */
  tested(ids: readonly string[] | null): void
}

/** `onRenamed` moves what is kept by id. */
export function useTestedSteps(document: EditedFlow, onRenamed: (renamings: Renaming[]) => void): TestedSteps {
  const current = useMemo(() => textsOf(document), [document])
  const [then, setThen] = useState(current)
  const last = useRef({ document, texts: current })
  const latest = useRef({ current, onRenamed })
  useEffect(() => {
    latest.current = { current, onRenamed }
    const before = last.current
    last.current = { document, texts: current }
    const renamings = before.document === document ? [] : renamedSteps(before.document, document)
    if (renamings.length === 0) return
    setThen((texts) => carriedOver(texts, before.texts, current, renamings))
    onRenamed(renamings)
  })
  const tested = useCallback((ids: readonly string[] | null) => {
    const now = latest.current.current
    setThen((texts) => (ids === null ? now : new Map([...texts, ...ids.map((id) => [id, now.get(id) ?? ''] as const)])))
  }, [])
  return useMemo(() => {
    const edited = [...current].filter(([id, text]) => then.has(id) && then.get(id) !== text)
    return { old: new Set(edited.map(([id]) => id)), tested }
  }, [current, then, tested])
}

/** A new name changes references in other steps too: what was not old before is not old by that. */
function carriedOver(texts: Texts, before: Texts, after: Texts, renamings: Renaming[]): Texts {
  const newNames = new Map(renamings.map(({ from, to }) => [from, to]))
  return new Map(
    [...texts].map(([id, text]) => {
      const name = newNames.get(id) ?? id
      return [name, before.get(id) === text ? (after.get(name) ?? text) : text]
    }),
  )
}
