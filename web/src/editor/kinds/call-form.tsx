// Which flow is called, with what, and whether the run waits for it.
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CallableFlow } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { ValueField } from '../../fields/template-field.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function CallForm({ place: { path } }: KindFormProps) {
  const callable = useQuery(queries.callableFlows)
  const flows = callable.data?.items ?? []
  const chosen = useField(`${path}/flow`).value
  const flow = flows.find(({ id, slug }) => chosen === id || (slug !== null && chosen === slug))
  return (
    <>
      <FlowChoice path={`${path}/flow`} flows={flows} />
      {callable.isError && (
        <ErrorNote
          title="The flows could not be loaded"
          error={callable.error}
          onRetry={() => void callable.refetch()}
        />
      )}
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

function FlowChoice({ path, flows }: { path: string; flows: readonly CallableFlow[] }) {
  const { value, set, issues, readOnly } = useField(path)
  const current = typeof value === 'string' && value !== '' ? value : null
  const options = flows.map(({ id, name, slug }) => ({ value: slug ?? id, label: slug ? `${name} (${slug})` : name }))
  // A flow may be named by its id although it has a slug, or not be published yet.
  const named = flows.find(({ id }) => id === current)
  const data =
    current === null || options.some((option) => option.value === current)
      ? options
      : [
          { value: current, label: named?.name ?? current },
          ...options.filter(({ value: slug }) => slug !== named?.slug),
        ]
  return (
    <FieldFrame label="Flow" description="published, with the trigger call" issues={issues}>
      <Select
        aria-label="Flow"
        data={data}
        value={current}
        placeholder={flows.length === 0 ? 'No flow can be called yet' : 'Choose a flow'}
        searchable
        nothingFoundMessage="No flow like this can be called"
        disabled={readOnly}
        onChange={(flow) => flow !== null && set(flow)}
        comboboxProps={{ withinPortal: true }}
      />
    </FieldFrame>
  )
}

/** Names the fields that the flow wants. */
function inputHint(flow: CallableFlow | undefined): string {
  const schema = flow?.input as { required?: unknown; properties?: unknown } | null | undefined
  const names = Array.isArray(schema?.required) ? schema.required : Object.keys(schema?.properties ?? {})
  return names.length ? `the flow wants ${names.join(', ')}` : 'what the flow reads as input'
}
