// What the fields of the editor share: the document they are part of, the data they are tried on, and what is wrong with them.
import { createContext, useContext, useMemo } from 'react'
import type { Connection, Issue } from '../api/api-types.ts'
import { type EditedFlow, valueAt } from '../flow-model/flow-tree.ts'
import { type PreviewContext, previewContext } from '../flow-model/templates/preview.ts'
import type { SampleData } from '../flow-model/templates/sample-data.ts'

export interface FieldIssue extends Issue {
  warning: boolean
}

export interface FieldSurroundings {
  document: EditedFlow
  data: SampleData
  connections: readonly Connection[]
  readOnly: boolean
  issues: readonly FieldIssue[]
  /** `undefined` removes the setting. */
  edit(path: string, value: unknown): void
}

export const FieldContext = createContext<FieldSurroundings | null>(null)

export function useFields(): FieldSurroundings {
  const fields = useContext(FieldContext)
  if (!fields) throw new Error('A field is outside of an editor.')
  return fields
}

export interface Field {
  value: unknown
  set(value: unknown): void
  readOnly: boolean
  /** Problems at exactly this setting. */
  issues: FieldIssue[]
}

/** `path` is the setting's JSON Pointer. */
export function useField(path: string): Field {
  const { document, readOnly, issues, edit } = useFields()
  return {
    value: valueAt(document, path),
    set: (value) => edit(path, value),
    readOnly,
    issues: issues.filter((issue) => issue.path === path),
  }
}

export function usePreviewContext(path: string): PreviewContext {
  const { document, data } = useFields()
  return useMemo(() => previewContext(document, path, data), [document, path, data])
}
