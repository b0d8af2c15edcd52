// How long the runs of a flow are kept, and whether their data is.
import { Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Retention } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'

interface RetentionFieldsProps {
  value: Retention
  readOnly: boolean
  onChange: (value: Retention) => void
}

const KEEPS = [
  { value: 'true', label: 'Everything' },
  { value: 'failed', label: 'Data of failed runs only' },
  { value: 'false', label: 'No data' },
]

const DAYS = { min: 0.001, max: 36_500, suffix: ' days', hideControls: true, w: 180 }

export function RetentionFields({ value, readOnly, onChange }: RetentionFieldsProps) {
  const instance = useQuery(queries.settings).data?.limits.retentionDays
  const usual = instance === undefined ? '' : `${instance.toLocaleString('en')} days`
  const set = (key: 'days' | 'failedDays') => (days: number | string) => onChange(withDays(value, key, days))
  const keeps = String(value.keepBodies ?? true)
  return (
    <Stack gap="sm">
      <Group gap="md" align="flex-end">
        <NumberInput
          label="Runs are kept for"
          placeholder={usual}
          value={value.days ?? ''}
          onChange={set('days')}
          readOnly={readOnly}
          {...DAYS}
        />
        <NumberInput
          label="Failed runs for"
          placeholder={value.days === undefined ? usual : `${value.days.toLocaleString('en')} days`}
          value={value.failedDays ?? ''}
          onChange={set('failedDays')}
          readOnly={readOnly}
          {...DAYS}
        />
        <Select
          label="Runs keep"
          data={KEEPS}
          value={keeps}
          readOnly={readOnly}
          allowDeselect={false}
          w={240}
          onChange={(chosen) => chosen !== null && onChange({ ...value, keepBodies: keepBodiesOf(chosen) })}
        />
      </Group>
      {keeps !== 'true' && (
        <Text size="xs" c="dimmed">
          {keeps === 'false' ? 'When a run ends, what' : 'When a run ends without a failure, what'} it was given, sent
          and got is deleted. Its status, times, labels and errors stay. It cannot be replayed.
        </Text>
      )}
    </Stack>
  )
}

const keepBodiesOf = (chosen: string): NonNullable<Retention['keepBodies']> =>
  chosen === 'failed' ? 'failed' : chosen === 'true'

function withDays(value: Retention, key: 'days' | 'failedDays', days: number | string): Retention {
  const { [key]: _before, ...rest } = value
  return typeof days === 'number' ? { ...rest, [key]: days } : rest
}

/** Returns what the document says; nothing where it says what counts anyway. */
export function saidRetention({ keepBodies, ...days }: Retention): { retention?: Retention } {
  const said: Retention = { ...days, ...(keepBodies === undefined || keepBodies === true ? {} : { keepBodies }) }
  return Object.keys(said).length ? { retention: said } : {}
}
