// The form of each kind; a kind without one of its own gets what its schema says.
import type { ComponentType } from 'react'
import { useEditor } from '../state/editor-context.tsx'
import { BranchForm } from './branch-form.tsx'
import { CallForm } from './call-form.tsx'
import { CodeForm } from './code-form.tsx'
import { HttpForm } from './http-form.tsx'
import type { KindFormProps } from './kind-form-props.ts'
import { LoopForm } from './loop-form.tsx'
import { ParallelForm } from './parallel-form.tsx'
import { FailForm, RespondForm, StopForm, WaitForm } from './plain-forms.tsx'
import { SchemaForm } from './schema-form.tsx'
import { SetForm } from './set-form.tsx'
import { StoreForm } from './store-form.tsx'

const FORMS = new Map<string, ComponentType<KindFormProps>>([
  ['http', HttpForm],
  ['branch', BranchForm],
  ['loop', LoopForm],
  ['parallel', ParallelForm],
  ['call', CallForm],
  ['wait', WaitForm],
  ['code', CodeForm],
  ['set', SetForm],
  ['store', StoreForm],
  ['respond', RespondForm],
  ['stop', StopForm],
  ['fail', FailForm],
])

export function KindForm({ place }: KindFormProps) {
  const { kinds } = useEditor()
  const Form = FORMS.get(place.step.kind)
  if (Form) return <Form place={place} />
  const kind = kinds.find(({ kind: name }) => name === place.step.kind)
  return kind ? <SchemaForm schema={kind.settings} path={place.path} /> : null
}
