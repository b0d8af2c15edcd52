// What the web UI knows of a step kind. All of it stands in the kind's file here, and the form in editor/kinds.
import type { StepDocument } from '../../../src/flow/document.ts'

/** Names, so that nothing here needs React; kind-icon.tsx draws them. */
export type IconName =
  | 'alert-octagon'
  | 'arrow-back-up'
  | 'arrows-down'
  | 'arrows-split'
  | 'arrows-split-2'
  | 'braces'
  | 'clock'
  | 'code'
  | 'corner-down-left'
  | 'corner-down-right'
  | 'database'
  | 'player-stop'
  | 'puzzle'
  | 'repeat'
  | 'square-rounded'
  | 'variable'
  | 'world'
  | 'x'

/** A list of steps inside a step, by its JSON Pointer below the step. */
export interface NestedList {
  key: string
  steps: StepDocument[]
  /** case, lane: `index` counts them; otherwise: a branch's last column, there or not; body: a loop's steps. */
  role: 'case' | 'otherwise' | 'lane' | 'body'
  index: number
  /** What a lane is called. */
  name?: string
}

export interface StepKind {
  kind: string
  /** On cards, in menus and in runs. */
  icon: IconName
  /** In the pictures of the templates. */
  trailIcon: IconName
  /** Of its icon, in the light and in the dark scheme; theme/palette.test.ts holds them apart. */
  color: { light: string; dark: string }
  /** The page of the guide about it, and its heading there. */
  guide: string
  /** What one uses it for, in the menu of kinds. */
  purpose: string
  /** One line about what the step does, for its card. */
  describe(step: StepDocument): string
  newSettings(): Record<string, unknown>
  /** The id of the first such step, where that is not the kind's name. */
  firstId?: string
  /** What it leaves under `steps.<id>`, tested or not. */
  outputs?(step: StepDocument): string[]
  /** Of a kind that holds steps. */
  nestedLists?(step: StepDocument): NestedList[]
  /** Of a kind whose steps run in rounds: `each` keeps what a round left to that round. */
  repeats?(step: StepDocument): 'each' | 'while'
  /** Nothing goes on after it. */
  ends?(step: StepDocument): boolean
  /** Of a kind that sets variables: their names, with the templates of their values. */
  variables?(step: StepDocument): Record<string, unknown>
  /** Settings that are text as it stands, without templates. */
  literals?: readonly string[]
  /** Its settings are a request, as curl has it, and its output is the reply. */
  sendsRequest?: true
  /** Of a kind that starts a run of another flow: the setting that names the flow, by its id or slug. */
  callsIn?: string
  /** What it says goes to the caller, so that it sees no secrets. */
  answersCaller?: true
  /** To wait is its work, and no pause before another attempt. */
  waits?: true
  /** Of a kind that may wait for somebody, by a URL: for whom, if it does. */
  awaits?(step: object): 'callback' | 'approval' | null
  /** What the templates of a setting see, of what those of the step see; `setting` is its JSON Pointer below the step. */
  rootsIn?(setting: string, roots: string[]): string[]
  /** What `onError` means for it. */
  onErrorWords?: { fail: string; continue: string }
  /** What one may try it again on. */
  retryOn?: { placeholder: string; suggestions: string[] }
}

export const stepsOf = (list: unknown): StepDocument[] => (Array.isArray(list) ? (list as StepDocument[]) : [])
