// The editor's colours: the page's own variables where there is one, few hues for syntax.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { MONOSPACE } from '../../theme/theme.ts'

const frame = (dark: boolean) =>
  EditorView.theme(
    {
      '&': {
        fontSize: '12.5px',
        border: '1px solid var(--mr-control)',
        borderRadius: '6px',
        backgroundColor: 'var(--mr-page)',
        color: 'var(--mr-text)',
      },
      '&.cm-focused': { outline: '2px solid var(--mr-accent)', outlineOffset: '-1px' },
      '.cm-scroller': { fontFamily: MONOSPACE, lineHeight: '1.55', overflow: 'auto' },
      '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mr-dim)', border: 'none' },
      '.cm-content': { padding: '6px 0', caretColor: 'var(--mr-text)' },
      '.cm-cursor': { borderLeftColor: 'var(--mr-text)' },
      '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--mr-hover) 60%, transparent)' },
      '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
        backgroundColor: dark ? '#174a51' : '#c9ecf0',
      },
      '.cm-tooltip, .cm-panels': {
        backgroundColor: 'var(--mr-raised)',
        color: 'var(--mr-text)',
        border: '1px solid var(--mr-border)',
        borderRadius: '6px',
      },
      '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
        backgroundColor: dark ? '#174a51' : '#d7f3f6',
        color: 'var(--mr-text)',
      },
      '.cm-completionDetail': { color: 'var(--mr-dim)', fontStyle: 'normal' },
      '.cm-foldPlaceholder': { background: 'var(--mr-hover)', border: 'none', color: 'var(--mr-dim)' },
      '.cm-diagnostic': { fontFamily: 'inherit' },
    },
    { dark },
  )

const syntax = (dark: boolean) =>
  HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: dark ? '#7ad1db' : '#006a73' },
    { tag: [tags.string, tags.special(tags.string), tags.regexp], color: dark ? '#9bd28f' : '#2f6b1f' },
    { tag: [tags.number, tags.bool, tags.null, tags.atom], color: dark ? '#e0ab74' : '#8a4b00' },
    { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: dark ? '#c4a7f0' : '#6b35a8' },
    { tag: [tags.comment, tags.meta], color: 'var(--mr-dim)', fontStyle: 'italic' },
    { tag: [tags.typeName, tags.className], color: dark ? '#8cc2ff' : '#1a5f9e' },
    { tag: tags.invalid, color: 'var(--mr-bad)' },
  ])

const themes = {
  light: [frame(false), syntaxHighlighting(syntax(false))],
  dark: [frame(true), syntaxHighlighting(syntax(true))],
}

export const codeTheme = (dark: boolean): Extension => (dark ? themes.dark : themes.light)
