// What the inbox is narrowed to; all of it stands in the URL.
import { Button, Select, TextInput } from '@mantine/core'
import { memo, useState } from 'react'
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
  const { flow, outcome, event, label, onChange, withFlow } = props
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
        onChange={(value) =>
          onChange({ flow, event, label, outcome: value === ALL ? undefined : (value as DeliveryOutcome) })
        }
      />
      {withFlow && <FlowSelect flow={flow} onChange={(chosen) => onChange({ flow: chosen, outcome, event, label })} />}
      <EventInput key={event} event={event} onChange={(next) => onChange({ flow, outcome, event: next, label })} />
      <LabelInput filter={label} onChange={(next) => onChange({ flow, outcome, event, label: next })} />
      {[flow, outcome, event, label].some((part) => part !== undefined) && (
        <Button size="xs" variant="subtle" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  )
})

/** The type of the event, which counts once it is entered. */
function EventInput({ event, onChange }: { event: string | undefined; onChange: (event: string | undefined) => void }) {
  const [text, setText] = useState(event ?? '')
  const enter = () => {
    const typed = text.trim() === '' ? undefined : text.trim()
    if (typed !== event) onChange(typed)
  }
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault()
        enter()
      }}
    >
      <TextInput
        aria-label="Event"
        size="xs"
        w={{ base: '100%', xs: 168 }}
        maxLength={200}
        placeholder="Event: invoice.paid"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={enter}
      />
    </form>
  )
}
