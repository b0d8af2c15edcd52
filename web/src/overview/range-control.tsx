import { SegmentedControl } from '@mantine/core'
import { RANGES, type StatsRange } from './chart-data.ts'

export function RangeControl({ value, onChange }: { value: StatsRange; onChange: (range: StatsRange) => void }) {
  return (
    <SegmentedControl
      aria-label="Time shown"
      size="xs"
      value={value}
      onChange={(range) => onChange(range as StatsRange)}
      data={RANGES.map(({ value: range, label }) => ({ value: range, label }))}
    />
  )
}
