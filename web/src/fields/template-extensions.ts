// CodeMirror for templates: braces stand out, completion offers data with its values, single-line fields stay on one line.
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from '@codemirror/commands'
import { EditorSelection, EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { complete, type Suggestion } from '../flow-model/templates/complete.ts'
import type { PreviewContext } from '../flow-model/templates/preview.ts'
import { expressionRanges } from '../flow-model/templates/read-expression.ts'

/** `context` is asked anew each time: the sample and the document change while the field stands. */
export function templateCompletion(context: () => PreviewContext): Extension {
  const source = (asked: CompletionContext): CompletionResult | null => {
    const found = complete(asked.state.doc.toString(), asked.pos, context())
    if (!found || found.options.length === 0) return null
    return { from: found.from, options: found.options.map(asCompletion), validFor: /^[\w$]*$/ }
  }
  return autocompletion({
    override: [source],
    icons: false,
    maxRenderedOptions: 30,
    optionClass: ({ type }) => `cm-offer-${type}`,
  })
}

const SECTIONS: Record<Suggestion['kind'], number> = { data: 4, step: 4, secret: 3, function: 1, method: 1 }

function asCompletion({ label, insert, cursor, back, kind, detail }: Suggestion, index: number): Completion {
  return {
    label,
    type: kind,
    detail,
    // In the order of the data; functions after it.
    boost: SECTIONS[kind] * 20 - Math.min(index, 19),
    apply: (view, completion, from, to) => {
      const start = from - back
      view.dispatch({
        changes: { from: start, to, insert },
        selection: EditorSelection.cursor(start + insert.length - cursor),
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
      })
    },
  }
}

const mark = Decoration.mark({ class: 'cm-template' })

const templateMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = marksOf(view.state)
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = marksOf(update.state)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

function marksOf(state: EditorState): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of expressionRanges(state.doc.toString())) builder.add(from, to, mark)
  return builder.finish()
}

/** What is pasted with line breaks goes on in the same line. */
const oneLine = EditorState.transactionFilter.of((transaction) =>
  transaction.newDoc.lines > 1
    ? [
        transaction,
        {
          changes: {
            from: 0,
            to: transaction.newDoc.length,
            insert: transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, ' '),
          },
          sequential: true,
        },
      ]
    : transaction,
)

/** A second brace opens a template: its end is there at once, and the data to choose from. */
const openBraces = EditorView.inputHandler.of((view, from, to, text) => {
  if (text !== '{' || from !== to || view.state.sliceDoc(from - 1, from) !== '{') return false
  if (view.state.sliceDoc(from - 2, from - 1) === '{') return false
  const end = view.state.sliceDoc(to, to + 1) === '}' ? to + 1 : to
  view.dispatch({
    changes: { from: from - 1, to: end, insert: '{{  }}' },
    selection: EditorSelection.cursor(from + 2),
    userEvent: 'input.type',
  })
  startCompletion(view)
  return true
})

/** Who writes the end that is there already, or the blank after the beginning, goes over it. */
const overtype = EditorView.inputHandler.of((view, from, to, text) => {
  if (from !== to || (text !== '}' && text !== ' ')) return false
  const doc = view.state.doc.toString()
  const move = (anchor: number) => {
    view.dispatch({ selection: EditorSelection.cursor(anchor), userEvent: 'select' })
    return true
  }
  if (text === ' ') return doc.slice(0, from).endsWith('{{ ') && doc.startsWith(' }}', from)
  if (doc[from - 1] === '}' && doc[from] === '}' && expressionRanges(doc).some((range) => range.to === from + 1))
    return move(from + 1)
  const blanks = /^\s*/.exec(doc.slice(from))![0].length
  const closes = expressionRanges(doc).some((range) => range.to === from + blanks + 2 && range.from < from)
  if (!closes || !doc.startsWith('}}', from + blanks)) return false
  // Only one space is before the end, whether the user or the editor wrote it.
  const blank = /\s$/.test(doc.slice(0, from)) ? '' : doc.slice(from, from + blanks)
  view.dispatch({
    changes: { from, to: from + blanks, insert: blank },
    selection: EditorSelection.cursor(from + blank.length + 1),
    userEvent: 'input.type',
  })
  return true
})

export const templateBase = (multiline: boolean): Extension => [
  history(),
  drawSelection(),
  openBraces,
  overtype,
  closeBrackets(),
  templateMarks,
  EditorView.lineWrapping,
  multiline ? [] : oneLine,
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    { key: 'Tab', run: acceptCompletion },
    ...(multiline ? [{ key: 'Enter', run: insertNewlineAndIndent }] : [{ key: 'Enter', run: () => true }]),
    ...defaultKeymap,
    ...historyKeymap,
  ]),
]

export const templateLook = EditorView.theme({
  '&': { fontSize: '12.5px' },
  '.cm-content': { padding: '4px 0', minHeight: '28px' },
  '.cm-line': { padding: '0 8px' },
  '.cm-template': { color: 'var(--mr-accent)' },
  '.cm-placeholder': { color: 'var(--mr-dim)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '260px', minWidth: '260px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: '16px',
    padding: '3px 8px',
  },
  '.cm-completionLabel': { fontSize: '12.5px' },
  '.cm-completionDetail': {
    maxWidth: '220px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    marginLeft: '0',
    fontSize: '11.5px',
  },
  '.cm-offer-function .cm-completionLabel, .cm-offer-method .cm-completionLabel': { color: 'var(--mr-dim)' },
})
