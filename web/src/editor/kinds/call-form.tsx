// Which flow is called, with what, and whether the run waits for it.
import { useQuery } from '@tanstack/react-query'
import type { CallableFlow } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { ValueField } from '../../fields/template-field.tsx'
import { FlowField } from './flow-field.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function CallForm({ place: { path } }: KindFormProps) {
  const flows = useQuery(queries.callableFlows).data?.items ?? []
  const chosen = useField(`${path}/flow`).value
  const flow = flows.find(({ id, slug }) => chosen === id || (slug !== null && chosen === slug))
  return (
    <>
      <FlowField path={`${path}/flow`} />
      <ValueField path={`${path}/input`} label="Input" description={inputHint(flow)} multiline />
      <SwitchField
        path={`${path}/wait`}
        label="Wait for its result"
        description="Otherwise the step ends at once, with the id of the run that it started."
        standard
      />
    </>
  )
}

/** Names the fields that the flow wants. */
function inputHint(flow: CallableFlow | undefined): string {
  const schema = flow?.input as { required?: unknown; properties?: unknown } | null | undefined
  const names = Array.isArray(schema?.required) ? schema.required : Object.keys(schema?.properties ?? {})
  return names.length ? `the flow wants ${names.join(', ')}` : 'what the flow reads as input'
}
