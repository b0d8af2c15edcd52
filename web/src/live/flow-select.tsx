// Chooses the flow that a list is about.
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../api/queries.ts'

const ALL = 'all'

interface FlowSelectProps {
  flow: string | undefined
  onChange: (flow: string | undefined) => void
}

export function FlowSelect({ flow, onChange }: FlowSelectProps) {
  const flows = useQuery(queries.flows)
  const choices = useMemo(() => {
    const known = (flows.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
    // A flow that was deleted still has runs to look for.
    const missing = flow && flows.data && !known.some(({ value }) => value === flow)
    return [
      { value: ALL, label: 'All flows' },
      ...known,
      ...(missing ? [{ value: flow, label: `Deleted flow (${flow})` }] : []),
    ]
  }, [flows.data, flow])
  return (
    <Select
      aria-label="Flow"
      size="xs"
      w={200}
      searchable
      // There may be a thousand: while it is closed, they are not drawn.
      comboboxProps={{ width: 280, position: 'bottom-start', keepMounted: false }}
      nothingFoundMessage={flows.isError ? 'The flows could not be loaded' : 'No flow of that name'}
      data={choices}
      value={flow ?? ALL}
      onChange={(value) => onChange(value === ALL || value === null ? undefined : value)}
    />
  )
}
