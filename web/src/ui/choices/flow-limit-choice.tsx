// Chooses the flows that a token or a connection is for.
import { MultiSelect, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'

interface FlowLimitChoiceProps {
  /** Their ids. */
  flows: string[]
  tags: string[]
  onFlows: (flows: string[]) => void
  onTags: (tags: string[]) => void
  flowsError?: string | undefined
  readOnly?: boolean
}

export function FlowLimitChoice({ flows, tags, onFlows, onTags, flowsError, readOnly = false }: FlowLimitChoiceProps) {
  const known = useQuery(queries.flows).data ?? []
  return (
    <>
      <MultiSelect
        label="Only these flows"
        description="If it is empty, and no tag is given: all flows."
        data={known.map(({ id, name }) => ({ value: id, label: name }))}
        value={flows}
        onChange={onFlows}
        error={flowsError}
        readOnly={readOnly}
        searchable
      />
      <TagsInput
        label="Only flows with one of these tags"
        data={[...new Set(known.flatMap((flow) => flow.tags))]}
        value={tags}
        onChange={onTags}
        readOnly={readOnly}
      />
    </>
  )
}
