// Which flow is called, of those that can be.
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CallableFlow } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'

export function FlowField({ path }: { path: string }) {
  const callable = useQuery(queries.callableFlows)
  return (
    <>
      <FlowChoice path={path} flows={callable.data?.items ?? []} />
      {callable.isError && (
        <ErrorNote
          title="The flows could not be loaded"
          error={callable.error}
          onRetry={() => void callable.refetch()}
        />
      )}
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
