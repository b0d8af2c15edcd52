// The same flow as YAML, edited both ways: what reads as a flow is taken over, faults are marked where they stand.
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { type EditorView, ViewPlugin } from '@codemirror/view'
import { useEffect, useMemo, useRef, useState } from 'react'
import { FlowTextError, formatFlowYaml, parseFlowText } from '../../../src/flow/flow-text.ts'
import type { FieldIssue } from '../fields/field-context.tsx'
import type { EditedFlow } from '../flow-model/flow-tree.ts'
import { yamlPositions } from '../flow-model/yaml-positions.ts'
import { CodeEditor } from '../ui/code/code-editor.tsx'
import classes from './editor.module.css'
import { useEditor } from './state/editor-context.tsx'

const PAUSE_MS = 300

export function YamlView() {
  const { document, editor, readOnly, issues, unread, setUnread } = useEditor()
  // What had a fault when the view was left is still there.
  const [text, setText] = useState(() => unread?.text ?? formatFlowYaml(document))
  const [fault, setFault] = useState<FlowTextError | null>(() => (unread ? faultIn(unread.text) : null))
  const taken = useRef(document)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const view = useRef<EditorView | null>(null)

  // What changes elsewhere takes the place of the text; what was typed here stays as it was typed.
  useEffect(() => {
    if (document === taken.current) return
    taken.current = document
    clearTimeout(timer.current)
    setText(formatFlowYaml(document))
    setFault(null)
    setUnread(null)
  }, [document, setUnread])
  useEffect(() => () => clearTimeout(timer.current), [])

  const take = (typed: string) => {
    const read = readFlow(typed)
    if ('fault' in read) {
      setFault(read.fault)
      setUnread({ text: typed, line: read.fault.line, instead: editor.state.document })
      return
    }
    setFault(null)
    setUnread(null)
    taken.current = read.flow
    editor.edit(read.flow, { label: 'Edit the YAML', merge: 'yaml' })
    // The editor may have kept its own document where nothing has changed.
    taken.current = editor.state.document
  }

  const extensions = useMemo(
    () => [
      lintGutter(),
      ViewPlugin.define((created) => {
        view.current = created
        return {}
      }),
    ],
    [],
  )
  useEffect(() => {
    const editorView = view.current
    if (!editorView) return
    const shown = editorView.state.doc.toString()
    const found = fault ? [faultMark(fault, shown)] : issueMarks(issues, shown)
    editorView.dispatch(setDiagnostics(editorView.state, found))
  }, [fault, issues])

  return (
    <div className={classes.yaml}>
      {fault && (
        <div className={classes.bar} data-tone="bad" role="alert">
          <span>
            Line {fault.line}: {fault.message.split('\n', 1)[0]} The last text that reads as a flow is what counts.
          </span>
        </div>
      )}
      <div className={classes.yamlText}>
        <CodeEditor
          value={text}
          mode="yaml"
          label="The flow as YAML"
          fill
          readOnly={readOnly}
          extensions={extensions}
          onChange={(typed) => {
            setText(typed)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => take(typed), PAUSE_MS)
          }}
          onBlur={() => {
            clearTimeout(timer.current)
            if (!readOnly) take(text)
          }}
        />
      </div>
    </div>
  )
}

function faultIn(text: string): FlowTextError | null {
  const read = readFlow(text)
  return 'fault' in read ? read.fault : null
}

function readFlow(text: string): { flow: EditedFlow } | { fault: FlowTextError } {
  try {
    const value = parseFlowText(text) as Partial<EditedFlow> | null
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: new FlowTextError('A flow is an object with name, trigger and steps.', 1) }
    if (typeof value.name !== 'string') return { fault: new FlowTextError('name is missing, or is not text.', 1) }
    if (typeof value.trigger !== 'object' || value.trigger === null)
      return { fault: new FlowTextError('trigger is missing; write trigger: { kind: webhook }.', 1) }
    if (!Array.isArray(value.steps) || value.steps.some((step) => typeof step !== 'object' || step === null))
      return { fault: new FlowTextError('steps is missing, or is not a list of steps.', 1) }
    if (!isHandling(value.onFailure))
      return { fault: new FlowTextError('onFailure is neither a list of steps nor a flow: { flow: name }.', 1) }
    return { flow: value as EditedFlow }
  } catch (error) {
    if (error instanceof FlowTextError) return { fault: error }
    throw error
  }
}

/** Whether the editor can show it; what is wrong inside it, the service says. */
const isHandling = (onFailure: unknown): boolean =>
  onFailure === undefined ||
  (typeof onFailure === 'object' &&
    onFailure !== null &&
    (!Array.isArray(onFailure) || onFailure.every((step) => typeof step === 'object' && step !== null)))

function faultMark({ line, message }: FlowTextError, text: string): Diagnostic {
  const lines = text.split('\n')
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const to = Math.min(text.length, from + (lines[line - 1]?.length ?? 0))
  return { from: Math.min(from, text.length), to, severity: 'error', message: message.split('\n', 1)[0]! }
}

function issueMarks(issues: readonly FieldIssue[], text: string): Diagnostic[] {
  const positions = yamlPositions(
    text,
    issues.map(({ path }) => path),
  )
  return issues
    .flatMap(({ path, message, warning }): Diagnostic[] => {
      const range = positions.get(path)
      if (!range || range.to > text.length) return []
      // Of what is missing only the first line of what is around it.
      const end = text.indexOf('\n', range.from)
      const to = end === -1 ? range.to : Math.min(range.to, Math.max(end, range.from))
      return [{ from: range.from, to, severity: warning ? 'warning' : 'error', message }]
    })
    .toSorted((a, b) => a.from - b.from)
}
