import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { codeTheme } from './code-theme.ts'

type CodeMode = 'json' | 'javascript' | 'typescript' | 'yaml' | 'text'

export interface CodeEditorProps {
  value: string
  onChange?: (value: string) => void
  mode: CodeMode
  /** The name of the editor for people who cannot see it. */
  label: string
  readOnly?: boolean
  /** Linting, completion, key bindings of the caller. Keep it stable between renders. */
  extensions?: Extension
  minHeight?: number | string
  maxHeight?: number | string
  /** Fills its container instead of growing with its lines. */
  fill?: boolean
  lineNumbers?: boolean
  autoFocus?: boolean
  onBlur?: () => void
}

const LANGUAGES: Record<CodeMode, () => Extension> = {
  json,
  yaml,
  javascript: () => javascript(),
  typescript: () => javascript({ typescript: true }),
  text: () => EditorView.lineWrapping,
}

const base: Extension = [
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  codeFolding(),
  search({ top: true }),
  highlightSelectionMatches(),
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
    indentWithTab,
  ]),
]

const size = (value: number | string | undefined) => (typeof value === 'number' ? `${value}px` : value)

export default function CodeMirror(props: CodeEditorProps) {
  const { value, mode, label, readOnly = false, extensions, minHeight, maxHeight, fill = false } = props
  const dark = useComputedColorScheme() === 'dark'
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const callbacks = useRef(props)
  const parts = useRef({ theme: new Compartment(), access: new Compartment(), extra: new Compartment() })
  useEffect(() => {
    callbacks.current = props
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; the effects below carry changes into it
  useEffect(() => {
    const { theme, access, extra } = parts.current
    const created = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          base,
          LANGUAGES[mode](),
          props.lineNumbers === false ? [] : [lineNumbers(), foldGutter()],
          readOnly ? [] : highlightActiveLine(),
          theme.of(codeTheme(dark)),
          access.of(accessOf(readOnly)),
          extra.of(extensions ?? []),
          // Also where it is only read: whoever has no mouse scrolls it by the arrow keys.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.theme({
            '&': { height: fill ? '100%' : 'auto', maxHeight: size(maxHeight) ?? 'none' },
            '.cm-content, .cm-gutter': { minHeight: size(minHeight) ?? 'auto' },
          }),
          EditorView.domEventHandlers({ blur: () => callbacks.current.onBlur?.() }),
          EditorView.updateListener.of((update) => {
            const byUser = update.transactions.some(
              (transaction) => transaction.docChanged && transaction.annotation(Transaction.remote) !== true,
            )
            if (byUser) callbacks.current.onChange?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = created
    if (props.autoFocus) created.focus()
    return () => created.destroy()
  }, [mode])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
    })
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.theme.reconfigure(codeTheme(dark)) })
  }, [dark])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.access.reconfigure(accessOf(readOnly)) })
  }, [readOnly])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.extra.reconfigure(extensions ?? []) })
  }, [extensions])

  return <div ref={host} style={{ height: fill ? '100%' : 'auto', minWidth: 0, overflow: 'hidden' }} />
}

/** Read-only text can still be focused, searched and copied by keyboard. */
const accessOf = (readOnly: boolean): Extension => EditorState.readOnly.of(readOnly)
