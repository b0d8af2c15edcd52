// The settings of a schedule: when it runs, shown as the times that come of it, and what becomes of times that cannot be kept.

import { Select } from '@mantine/core'
import { useState } from 'react'
import { PlainNumberField, SegmentField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { LabelsSection } from './labels-section.tsx'
import { NextTimes } from './next-times.tsx'
import { ScheduleTest } from './schedule-test.tsx'
import { ScheduleTimes } from './schedule-times.tsx'

export function ScheduleForm() {
  const { document } = useEditor()
  const { missed = 'once', overlap = 'queue', jitter, input, concurrency } = document.trigger
  return (
    <>
      <ScheduleTimes />
      <TimezoneField />
      <NextTimes />
      <ScheduleTest />
      <hr className={panel.divider} />
      <div className={panel.sections}>
        <Section title="Missed times" summary={MISSED_WORDS[String(missed)] ?? ''} holds={['/trigger/missed']}>
          <SegmentField
            path="/trigger/missed"
            label="Times missed while it was down or paused"
            fallback="once"
            options={[
              { value: 'once', label: 'One run for all' },
              { value: 'all', label: 'One run each' },
              { value: 'skip', label: 'No run' },
            ]}
          />
        </Section>
        <Section
          title="Overlap"
          summary={OVERLAP_WORDS[String(overlap)] ?? ''}
          holds={['/trigger/overlap', '/trigger/concurrency']}
        >
          <SegmentField
            path="/trigger/overlap"
            label="While the run before is still under way"
            fallback="queue"
            options={[
              { value: 'queue', label: 'Wait for it' },
              { value: 'skip', label: 'Skip this time' },
              { value: 'allow', label: 'Run beside it' },
            ]}
          />
          {(overlap === 'allow' || concurrency !== undefined) && (
            <PlainNumberField
              path="/trigger/concurrency"
              label="Parallel runs"
              description="the others wait in line"
              placeholder="no limit"
            />
          )}
        </Section>
        <Section
          title="Jitter"
          summary={typeof jitter === 'number' && jitter > 0 ? `up to ${jitter} s late` : 'on time'}
          holds={['/trigger/jitter']}
        >
          <PlainNumberField
            path="/trigger/jitter"
            label="Late by up to"
            description="always the same, so that flows do not start together"
            placeholder="0"
            suffix="s"
          />
        </Section>
        <Section title="Input" summary={input === undefined ? 'none' : 'given'} holds={['/trigger/input']}>
          <InputField />
        </Section>
        <LabelsSection example="{{ schedule.input.region }}" />
      </div>
    </>
  )
}

const MISSED_WORDS: Record<string, string> = { once: 'one run for all', all: 'one run each', skip: 'no run' }
const OVERLAP_WORDS: Record<string, string> = {
  queue: 'wait for the run before',
  skip: 'skip',
  allow: 'run side by side',
}

/** The browser may know the zone of UTC by another name only. */
const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
const SHOWN_ZONES = 60

function TimezoneField() {
  const { value, set, issues, readOnly } = useField('/trigger/timezone')
  const zone = typeof value === 'string' ? value : 'UTC'
  return (
    <FieldFrame label="Time zone" issues={issues}>
      <Select
        aria-label="Time zone"
        searchable
        data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
        limit={SHOWN_ZONES}
        value={zone}
        nothingFoundMessage="No such time zone"
        onChange={(chosen) => chosen !== null && set(chosen === 'UTC' ? undefined : chosen)}
        disabled={readOnly}
        comboboxProps={{ withinPortal: true }}
      />
    </FieldFrame>
  )
}

/** What is typed counts once it is JSON. */
function InputField() {
  const { value, set, issues, readOnly } = useField('/trigger/input')
  const [typed, setTyped] = useState<{ text: string; gives: unknown } | null>(null)
  const isOwn = typed !== null && JSON.stringify(typed.gives) === JSON.stringify(value)
  const text = isOwn ? typed.text : value === undefined ? '' : JSON.stringify(value, null, 2)
  const problem = isOwn && !isJson(typed.text) ? NOT_JSON : []
  return (
    <FieldFrame label="schedule.input" description="any JSON, without expressions" issues={[...problem, ...issues]}>
      <CodeEditor
        value={text}
        mode="json"
        label="Input of the flow, as JSON"
        minHeight={60}
        maxHeight={240}
        lineNumbers={false}
        readOnly={readOnly}
        onChange={(given) => {
          const gives: unknown = given.trim() === '' ? undefined : isJson(given) ? JSON.parse(given) : value
          setTyped({ text: given, gives })
          set(gives)
        }}
      />
    </FieldFrame>
  )
}

const NOT_JSON = [
  { path: '/trigger/input', code: 'json', message: 'This is not JSON, so it is not saved yet.', warning: false },
]

function isJson(text: string): boolean {
  if (text.trim() === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
