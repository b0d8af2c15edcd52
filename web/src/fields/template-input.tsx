// A text input for templates: CodeMirror with completion, and the data that can be inserted.
import { completionStatus } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state'
import { EditorView, placeholder as placeholderOf } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { codeTheme } from '../ui/code/code-theme.ts'
import { DataPicker, type PickerState, ROOM_BESIDE_PX } from './data-picker.tsx'
import { usePreviewContext } from './field-context.tsx'
import classes from './fields.module.css'
import { usePickData } from './pick-list.tsx'
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
  /** The data to pick from opens only by its button: one seldom wants any here. */
  quiet?: boolean
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
  const { hasData } = usePickData(path)
  const [picker, setPicker] = useState<PickerState>('closed')
  /** The beginning of a reference that was written: the data shows what it may become. */
  const [written, setWritten] = useState('')
  const latest = useRef({ props, context, hasData, picker })
  /** The focus that comes back after a choice must not open the data again. */
  const returning = useRef(false)
  const parts = useRef({
    theme: new Compartment(),
    access: new Compartment(),
    hint: new Compartment(),
    name: new Compartment(),
  })
  useEffect(() => {
    latest.current = { props, context, hasData, picker }
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
            focus: (_event, editor) => {
              const { props: now, hasData: offers } = latest.current
              if (now.startsWithBraces) enterBraces(editor)
              const wanted = offers && !now.quiet && !now.readOnly && window.innerWidth >= ROOM_BESIDE_PX
              if (wanted && !returning.current) {
                setWritten('')
                setPicker('field')
              }
              returning.current = false
            },
            blur: ({ relatedTarget }, editor) => {
              latest.current.props.onBlur?.(editor.state.doc.toString())
              const goesToPicker =
                relatedTarget instanceof Element &&
                // The button too: closing would draw it anew, under the pointer that is about to press it.
                (relatedTarget.closest('[data-picker]') !== null ||
                  host.current!.parentElement!.contains(relatedTarget))
              if (!goesToPicker) setPicker((now) => (now === 'field' ? 'closed' : now))
            },
            keydown: (event, editor) => {
              // Escape closes the completions first, which are nearer.
              const isFree = latest.current.picker === 'field' && completionStatus(editor.state) === null
              if (isFree && keyForPicker(event, () => setPicker('closed'))) return true
              if (event.key === 'Enter' && !multiline && !event.defaultPrevented) latest.current.props.onEnter?.()
              return false
            },
          }),
          EditorView.updateListener.of((update) => {
            const byUser = update.transactions.some(
              (transaction) => transaction.docChanged && transaction.annotation(Transaction.remote) !== true,
            )
            if (!byUser) return
            setWritten(writtenReference(update.state))
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
      {!readOnly && (
        <DataPicker
          path={path}
          label={label}
          state={picker}
          written={picker === 'field' ? written : ''}
          onState={setPicker}
          onPick={(reference) => {
            setPicker('closed')
            returning.current = !view.current!.hasFocus
            insert(view.current!, reference)
          }}
        />
      )}
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

/** Escape closes the data, Alt with the down arrow leads into it. */
function keyForPicker(event: KeyboardEvent, close: () => void): boolean {
  if (event.key === 'Escape') close()
  else if (event.key === 'ArrowDown' && event.altKey)
    document.querySelector<HTMLElement>('[data-picker] input')?.focus()
  else return false
  event.preventDefault()
  event.stopPropagation()
  return true
}

/** Returns the reference that ends at the cursor; empty outside of braces. */
function writtenReference({ doc, selection }: EditorState): string {
  const before = doc.sliceString(0, selection.main.from)
  const start = before.lastIndexOf('{{')
  return start > before.lastIndexOf('}}') ? /[\w$.[\]]*$/.exec(before.slice(start + 2))![0] : ''
}

/** Inside braces the reference alone, elsewhere with its own. */
function insert(editor: EditorView, reference: string): void {
  const { main } = editor.state.selection
  const before = editor.state.sliceDoc(0, main.from)
  const isInside = before.lastIndexOf('{{') > before.lastIndexOf('}}')
  const text = isInside ? reference : `{{ ${reference} }}`
  // What was written of it gives way.
  const begun = main.empty ? writtenReference(editor.state) : ''
  const from = reference.startsWith(begun) ? main.from - begun.length : main.from
  editor.dispatch({
    changes: { from, to: main.to, insert: text },
    selection: { anchor: from + text.length },
    userEvent: 'input',
  })
  editor.focus()
}
