// A text input for templates: CodeMirror with completion, and the data that can be inserted.
import { json } from '@codemirror/lang-json'
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state'
import { EditorView, placeholder as placeholderOf } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { codeTheme } from '../ui/code/code-theme.ts'
import { DataPicker } from './data-picker.tsx'
import { usePreviewContext } from './field-context.tsx'
import classes from './fields.module.css'
import { templateBase, templateCompletion, templateLook } from './template-extensions.ts'

interface TemplateInputProps {
  /** The setting's JSON Pointer: what may be referred to depends on it. */
  path: string
  value: string
  onChange: (text: string) => void
  label: string
  placeholder?: string | undefined
  multiline?: boolean
  language?: 'json' | 'text'
  readOnly?: boolean
  invalid?: boolean
  /** Without braces at the start, a condition gets them when it is entered. */
  startsWithBraces?: boolean
  onBlur?: (text: string) => void
  onEnter?: () => void
}

export function TemplateInput(props: TemplateInputProps) {
  const {
    path,
    value,
    label,
    placeholder = '',
    multiline = false,
    language = 'text',
    readOnly = false,
    invalid,
  } = props
  const dark = useComputedColorScheme() === 'dark'
  const context = usePreviewContext(path)
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef({ props, context })
  const parts = useRef({
    theme: new Compartment(),
    access: new Compartment(),
    hint: new Compartment(),
    name: new Compartment(),
  })
  useEffect(() => {
    latest.current = { props, context }
  })
  // What was typed comes back as the value, perhaps after more was typed: an echo must not undo it.
  const echoes = useRef<string[]>([])

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; the effects below carry changes into it
  useEffect(() => {
    const created = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          templateCompletion(() => latest.current.context),
          templateBase(multiline),
          language === 'json' ? json() : [],
          parts.current.theme.of(codeTheme(dark)),
          templateLook,
          parts.current.access.of(accessOf(readOnly)),
          parts.current.hint.of(placeholderOf(placeholder)),
          parts.current.name.of(nameOf(label, multiline)),
          EditorView.domEventHandlers({
            focus: (_event, editor) => latest.current.props.startsWithBraces && enterBraces(editor),
            blur: (_event, editor) => latest.current.props.onBlur?.(editor.state.doc.toString()),
            keydown: (event) => {
              if (event.key === 'Enter' && !multiline && !event.defaultPrevented) latest.current.props.onEnter?.()
            },
          }),
          EditorView.updateListener.of((update) => {
            const byUser = update.transactions.some(
              (transaction) => transaction.docChanged && transaction.annotation(Transaction.remote) !== true,
            )
            if (!byUser) return
            const text = update.state.doc.toString()
            echoes.current.push(text)
            latest.current.props.onChange(text)
          }),
        ],
      }),
    })
    view.current = created
    return () => created.destroy()
  }, [multiline, language])

  useEffect(() => {
    const editor = view.current
    const echo = echoes.current.indexOf(value)
    echoes.current.splice(0, echo + 1)
    if (!editor || echo !== -1 || editor.state.doc.toString() === value) return
    echoes.current = []
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
    })
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.theme.reconfigure(codeTheme(dark)) })
  }, [dark])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.name.reconfigure(nameOf(label, multiline)) })
  }, [label, multiline])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.access.reconfigure(accessOf(readOnly)) })
  }, [readOnly])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.hint.reconfigure(placeholderOf(placeholder)) })
  }, [placeholder])

  return (
    <div
      className={classes.input}
      data-bad={invalid || undefined}
      data-readonly={readOnly || undefined}
      data-pickable={!readOnly || undefined}
    >
      <div ref={host} />
      {!readOnly && <DataPicker path={path} label={label} onPick={(reference) => insert(view.current!, reference)} />}
    </div>
  )
}

const nameOf = (label: string, multiline: boolean): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-multiline': String(multiline) })

const accessOf = (readOnly: boolean): Extension => [
  EditorState.readOnly.of(readOnly),
  EditorView.editable.of(!readOnly),
]

function enterBraces(editor: EditorView): void {
  if (editor.state.doc.length > 0 || editor.state.readOnly) return
  editor.dispatch({ changes: { from: 0, insert: '{{  }}' }, selection: { anchor: 3 } })
}

/** Inside braces the reference alone, elsewhere with its own. */
function insert(editor: EditorView, reference: string): void {
  const { main } = editor.state.selection
  const before = editor.state.sliceDoc(0, main.from)
  const isInside = before.lastIndexOf('{{') > before.lastIndexOf('}}')
  const text = isInside ? reference : `{{ ${reference} }}`
  editor.dispatch({
    changes: { from: main.from, to: main.to, insert: text },
    selection: { anchor: main.from + text.length },
    userEvent: 'input',
  })
  editor.focus()
}
