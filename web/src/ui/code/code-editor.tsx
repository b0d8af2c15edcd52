// CodeMirror, fetched when the first editor is shown.
import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-mirror.tsx'

const CodeMirror = lazy(() => import('./code-mirror.tsx'))

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.fill ? '100%' : (props.minHeight ?? 80)} />}>
      <CodeMirror {...props} />
    </Suspense>
  )
}
