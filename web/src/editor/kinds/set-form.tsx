// Variables: a name and a value each, kept in their order.
import { NamedValues } from '../../fields/named-values.tsx'
import { ValueField } from '../../fields/template-field.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function SetForm({ place: { path } }: KindFormProps) {
  return (
    <NamedValues
      path={`${path}/vars`}
      noun="variable"
      newName="name"
      value={(name, at) => (
        <ValueField bare path={at} label={`Value of ${name}`} placeholder="{{ steps.order.body.total }}" required />
      )}
    />
  )
}
