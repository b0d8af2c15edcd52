// What the inbox is narrowed to; all of it stands in the URL.
import { Button, Select } from '@mantine/core'
import { memo } from 'react'
import type { DeliveryOutcome } from '../api/api-types.ts'
import type { DeliveryFilter } from '../api/queries.ts'
import { FlowSelect } from '../live/flow-select.tsx'
import { LabelInput } from '../live/label-input.tsx'
import classes from '../live/live-page.module.css'
import { statusWord } from '../ui/status.tsx'
import { OUTCOMES } from './model/delivery-filter.ts'

const ALL = 'all'

interface InboxFiltersProps extends DeliveryFilter {
  onChange: (filter: DeliveryFilter) => void
  /** Without it the inbox is that of one flow. */
  withFlow: boolean
}

/** Stays as it is while the list below it changes several times a second. */
export const InboxFilters = memo(function InboxFilters(props: InboxFiltersProps) {
  const { flow, outcome, label, onChange, withFlow } = props
  return (
    <div className={classes.filters}>
      <Select
        aria-label="Outcome"
        size="xs"
        w={136}
        data={[
          { value: ALL, label: 'All outcomes' },
          ...OUTCOMES.map((value) => ({ value, label: statusWord(value) })),
        ]}
        value={outcome ?? ALL}
        onChange={(value) => onChange({ flow, label, outcome: value === ALL ? undefined : (value as DeliveryOutcome) })}
      />
      {withFlow && <FlowSelect flow={flow} onChange={(chosen) => onChange({ flow: chosen, outcome, label })} />}
      <LabelInput filter={label} onChange={(next) => onChange({ flow, outcome, label: next })} />
      {(flow !== undefined || outcome !== undefined || label !== undefined) && (
        <Button size="xs" variant="subtle" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  )
})
