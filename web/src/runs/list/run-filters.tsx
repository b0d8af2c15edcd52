// What the list is narrowed to; all of it stands in the URL.
import { Button, Popover, Select, Stack, TextInput } from '@mantine/core'
import { memo, useState } from 'react'
import type { RunStatus } from '../../api/api-types.ts'
import { FlowSelect } from '../../live/flow-select.tsx'
import { LabelInput } from '../../live/label-input.tsx'
import classes from '../../live/live-page.module.css'
import { statusWord } from '../../ui/status.tsx'
import { RANGES, type Range, RUN_STATUSES, type RunSearch } from '../model/run-filter.ts'

const ALL = 'all'
const RANGE_WORDS: Record<Range, string> = { '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' }

interface RunFiltersProps {
  search: RunSearch
  onChange: (search: RunSearch) => void
  /** Without it the list is that of one flow. */
  withFlow: boolean
}

/** Stays as it is while the list below it changes several times a second. */
export const RunFilters = memo(function RunFilters({ search, onChange, withFlow }: RunFiltersProps) {
  const { flow, status, range, since, until, label } = search
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <div className={classes.filters}>
      <Select
        aria-label="Status"
        size="xs"
        w={136}
        comboboxProps={{ width: 160, position: 'bottom-start' }}
        data={[
          { value: ALL, label: 'All statuses' },
          ...RUN_STATUSES.map((value) => ({ value, label: statusWord(value) })),
        ]}
        value={status ?? ALL}
        onChange={(value) => onChange({ ...search, status: value === ALL ? undefined : (value as RunStatus) })}
      />
      {withFlow && <FlowSelect flow={flow} onChange={(chosen) => onChange({ ...search, flow: chosen })} />}
      <Select
        aria-label="Time"
        size="xs"
        w={136}
        data={[
          { value: ALL, label: 'Any time' },
          ...RANGES.map((value) => ({ value, label: RANGE_WORDS[value] })),
          ...(since || until ? [{ value: 'between', label: 'Between' }] : []),
        ]}
        value={range ?? (since || until ? 'between' : ALL)}
        onChange={(value) =>
          value !== 'between' && onChange({ flow, status, label, range: value === ALL ? undefined : (value as Range) })
        }
      />
      <Between since={since} until={until} onChange={(times) => onChange({ flow, status, label, ...times })} />
      <LabelInput filter={label} onChange={(next) => onChange({ ...search, label: next })} />
      {filtered && (
        <Button size="xs" variant="subtle" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  )
})

interface BetweenProps {
  since: string | undefined
  until: string | undefined
  onChange: (times: Pick<RunSearch, 'since' | 'until'>) => void
}

function Between({ since, until, onChange }: BetweenProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          onClick={() => setOpened(!opened)}
          data-chosen={Boolean(since || until) || undefined}
        >
          Custom range
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            onChange({ since: isoOf(form.get('since')), until: isoOf(form.get('until')) })
            setOpened(false)
          }}
        >
          <Stack gap="xs">
            <TextInput label="From" name="since" type="datetime-local" defaultValue={localOf(since)} />
            <TextInput label="To" name="until" type="datetime-local" defaultValue={localOf(until)} />
            <Button type="submit">Show runs</Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

/** What is typed is in the reader's time zone; the URL holds the moment. */
function isoOf(value: FormDataEntryValue | null): string | undefined {
  const time = typeof value === 'string' && value !== '' ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

function localOf(iso: string | undefined): string {
  if (!iso) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
