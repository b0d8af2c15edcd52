// CodeMirror, fetched when the first editor is shown.
import type { Extension } from '@codemirror/state'
import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'

export type CodeMode = 'json' | 'javascript' | 'typescript' | 'yaml' | 'text'

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

const CodeMirror = lazy(() => import('./code-mirror.tsx'))

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.fill ? '100%' : (props.minHeight ?? 80)} />}>
      <CodeMirror {...props} />
    </Suspense>
  )
}
