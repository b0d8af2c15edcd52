// When a schedule runs: one of the usual ways, or cron patterns.
import { Chip, Group, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { inUnit, TIME_UNITS, type TimeUnit, toSeconds, unitOf } from '../../fields/time-units.ts'
import { isInside } from '../../flow-model/flow-tree.ts'
import { useEditor } from '../state/editor-context.tsx'
import { changedPreset, type Preset, readTiming, type Timing, timesOf } from './schedule-presets.ts'
import classes from './trigger.module.css'

const PRESETS: { value: Preset; label: string }[] = [
  { value: 'every', label: 'Every few minutes or hours' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekdays', label: 'Every weekday, Monday to Friday' },
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'Once a month' },
  { value: 'custom', label: 'Cron patterns' },
]

export function ScheduleTimes() {
  const { document, readOnly, issues } = useFields()
  const { editor } = useEditor()
  const { trigger } = document
  // A pattern that reads as one of the usual times may be edited as a pattern all the same.
  const [asPatterns, setAsPatterns] = useState(false)
  const read = readTiming(trigger)
  const timing = asPatterns && read.preset !== 'every' ? changedPreset(read, 'custom') : read
  const write = (next: Timing) => {
    const { cron: _cron, every: _every, kind, ...rest } = editor.state.document.trigger
    const changed = { kind, ...timesOf(next), ...rest }
    editor.edit(
      { ...editor.state.document, trigger: changed },
      { label: 'Change the times', merge: `/trigger/${next.preset}` },
    )
  }
  const found = issues.filter(({ path }) => isInside(path, '/trigger/cron') || isInside(path, '/trigger/every'))
  return (
    <FieldFrame label="When it runs" issues={found}>
      <Select
        aria-label="When it runs"
        data={PRESETS}
        value={timing.preset}
        allowDeselect={false}
        disabled={readOnly}
        onChange={(chosen) => {
          setAsPatterns(chosen === 'custom')
          write(changedPreset(timing, chosen as Preset))
        }}
        comboboxProps={{ withinPortal: true }}
      />
      <TimingFields timing={timing} write={write} readOnly={readOnly} />
    </FieldFrame>
  )
}

interface TimingProps<T extends Timing = Timing> {
  timing: T
  write(next: Timing): void
  readOnly: boolean
}

type Of<P extends Preset> = Extract<Timing, { preset: P }>

function TimingFields({ timing, write, readOnly }: TimingProps) {
  if (timing.preset === 'every') return <EveryFields timing={timing} write={write} readOnly={readOnly} />
  if (timing.preset === 'custom') return <PatternsField timing={timing} write={write} readOnly={readOnly} />
  return (
    <Group gap="xs" align="center">
      {timing.preset === 'weekly' && <DaysField timing={timing} write={write} readOnly={readOnly} />}
      {timing.preset === 'monthly' && (
        <Select
          aria-label="Day of the month"
          className={classes.short}
          data={MONTH_DAYS}
          value={timing.day}
          allowDeselect={false}
          disabled={readOnly}
          onChange={(day) => day !== null && write({ ...timing, day })}
          comboboxProps={{ withinPortal: true }}
        />
      )}
      <TextInput
        type="time"
        aria-label="Time of day"
        className={classes.short}
        value={timing.time}
        disabled={readOnly}
        // While it is being typed, the browser gives an empty text.
        onChange={({ currentTarget: { value } }) => value !== '' && write({ ...timing, time: value.slice(0, 5) })}
      />
    </Group>
  )
}

const MONTH_DAYS = [
  ...Array.from({ length: 31 }, (_, i) => ({ value: String(i + 1), label: `on day ${i + 1}` })),
  { value: 'L', label: 'on the last day' },
]

const WEEK = [
  { value: '1', label: 'Mon' },
  { value: '2', label: 'Tue' },
  { value: '3', label: 'Wed' },
  { value: '4', label: 'Thu' },
  { value: '5', label: 'Fri' },
  { value: '6', label: 'Sat' },
  { value: '0', label: 'Sun' },
]

function DaysField({ timing, write, readOnly }: TimingProps<Of<'weekly'>>) {
  return (
    <Chip.Group multiple value={[...timing.days]} onChange={(days) => days.length > 0 && write({ ...timing, days })}>
      <Group gap={4} role="group" aria-label="Days of the week">
        {WEEK.map(({ value, label }) => (
          <Chip key={value} value={value} size="xs" disabled={readOnly}>
            {label}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}

function EveryFields({ timing: { seconds }, write, readOnly }: TimingProps<Of<'every'>>) {
  const [chosen, setChosen] = useState<TimeUnit>(() => unitOf(seconds))
  const unit = inUnit(seconds, chosen) === null ? unitOf(seconds) : chosen
  const amount = inUnit(seconds, unit)!
  const put = (next: number, of: TimeUnit) => write({ preset: 'every', seconds: Math.round(toSeconds(next, of)) })
  return (
    <Group gap="xs">
      <NumberInput
        aria-label="Every"
        className={classes.short}
        prefix="every "
        min={1}
        allowDecimal={false}
        allowNegative={false}
        value={amount}
        disabled={readOnly}
        onChange={(typed) => typeof typed === 'number' && typed > 0 && put(typed, unit)}
      />
      <Select
        aria-label="Unit"
        className={classes.short}
        data={TIME_UNITS.map(({ value }) => value)}
        value={unit}
        allowDeselect={false}
        disabled={readOnly}
        onChange={(next) => {
          setChosen(next as TimeUnit)
          put(amount, next as TimeUnit)
        }}
        comboboxProps={{ withinPortal: true }}
      />
    </Group>
  )
}

const MOST_PATTERNS = 20

function PatternsField({ timing, write, readOnly }: TimingProps<Of<'custom'>>) {
  return (
    <TagsInput
      aria-label="Cron patterns"
      description="minute, hour, day of month, month, weekday; press Enter after each"
      placeholder={timing.patterns.length ? '' : '0 7 * * 1-5'}
      maxTags={MOST_PATTERNS}
      // A comma is part of a pattern.
      splitChars={[]}
      acceptValueOnBlur
      value={[...timing.patterns]}
      disabled={readOnly}
      onChange={(patterns) => write({ preset: 'custom', patterns })}
    />
  )
}
