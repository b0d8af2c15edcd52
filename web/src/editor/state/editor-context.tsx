// What the parts of the editor share.
import { createContext, useContext } from 'react'
import type { Flow, Run, Sample, StepKindInfo, StepTest } from '../../api/api-types.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import type { FlowEditor } from '../../flow-model/flow-editor.ts'
import type { EditedFlow, Position, StepPlace } from '../../flow-model/flow-tree.ts'
import type { EditorSearch } from './selection.ts'
import type { LargeBody } from './use-large-body.ts'
import type { TestInput } from './use-test-input.ts'

export interface EditorValue {
  flow: Flow
  editor: FlowEditor
  document: EditedFlow
  readOnly: boolean
  kinds: readonly StepKindInfo[]
  issues: readonly FieldIssue[]
  search: EditorSearch
  /** The step that the address names, if it is there. */
  selected: StepPlace | null
  /** Keys of the steps that were chosen together, to be copied or deleted. */
  marked: ReadonlySet<string>
  setMarked(keys: ReadonlySet<string>): void
  /** Opens a step (by its key), the trigger, the publish panel, or nothing. */
  open(what: EditorSearch, options?: { replace?: boolean }): void
  /** Where a step is being added, while the menu of kinds is open. */
  adding: Position | null
  setAdding(position: Position | null): void
  /** What was just done and can be undone, said over the canvas. */
  notice: Notice | null
  setNotice(notice: Notice | null): void
  /** YAML that does not read as a flow, with where its fault is; null: there is none. */
  unread: UnreadText | null
  setUnread(unread: UnreadText | null): void
  samples: readonly Sample[]
  sample: Sample | null
  /** null where the body of the sample came along. */
  largeBody: LargeBody | null
  chooseSample(id: string): void
  /** Of a flow that is called: what its tests begin with. */
  testInput: TestInput
  tests: Tests
}

export interface Notice {
  message: string
  undo(): void
}

export interface UnreadText {
  text: string
  line: number
  /** What counts as long as the text cannot be read. */
  instead: EditedFlow
}

export type TestState =
  | { status: 'running' }
  | { status: 'done'; result: StepTest }
  | { status: 'refused'; error: unknown }

export interface Tests {
  /** Of Test Step in this page, by step id. */
  steps: ReadonlyMap<string, TestState>
  /** `rounds`: of a loop, how many of its rounds to run. */
  testStep(id: string, rounds?: number): Promise<void>
  /** The test run being followed, or the last one. */
  run: Run | null
  /** The planned time that tests of a schedule take, in ISO 8601; null: now. */
  at: string | null
  setAt(at: string | null): void
  starting: boolean
  refusal: unknown
  testFlow(): Promise<void>
  forgetRun(): void
  /** What steps gave when they were last tested, alone or in a test run. */
  outputs: Readonly<Record<string, unknown>>
  /** Steps that were edited since they gave their result. */
  old: ReadonlySet<string>
  /** Steps whose result is pinned: tests take it in place of running them. */
  pinned: ReadonlySet<string>
  pin(id: string, output: unknown): Promise<void>
  unpin(id: string): Promise<void>
}

export const EditorContext = createContext<EditorValue | null>(null)

export function useEditor(): EditorValue {
  const value = useContext(EditorContext)
  if (!value) throw new Error('A part of the editor is outside of it.')
  return value
}
