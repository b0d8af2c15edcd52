// Kinds with few settings.
import { SegmentedControl, Text } from '@mantine/core'
import { DurationField } from '../../fields/duration-field.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { NumberField, TemplateField, ValueField } from '../../fields/template-field.tsx'
import { WAYS, type Way, wayOf } from '../../step-kinds/wait.ts'
import { ApprovalForm } from '../incoming/approval-form.tsx'
import { CallbackForm } from '../incoming/callback-form.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function WaitForm({ place: { path, step } }: KindFormProps) {
  const { set, readOnly } = useField(path)
  const way = wayOf(step)
  const choose = (chosen: string) => {
    const rest = Object.fromEntries(Object.entries(step).filter(([key]) => !WAYS.includes(key as Way)))
    set({ ...rest, [chosen]: FIRST[chosen as Way] })
  }
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="What it waits for"
        value={way}
        disabled={readOnly}
        onChange={choose}
        data={[
          { value: 'seconds', label: 'A time' },
          { value: 'until', label: 'A date' },
          { value: 'callback', label: 'A callback' },
          { value: 'approval', label: 'An approval' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {way === 'seconds' && <DurationField path={`${path}/seconds`} label="Time" placeholder="5" />}
      {way === 'until' && (
        <TemplateField path={`${path}/until`} label="Until" description="ISO 8601" placeholder="2026-12-31T18:00:00Z" />
      )}
      {way === 'callback' && <CallbackForm path={`${path}/callback`} step={step.id} />}
      {way === 'approval' && <ApprovalForm path={`${path}/approval`} step={step.id} />}
      <Text size="xs" c="dimmed">
        {way === 'seconds' || way === 'until'
          ? 'While the run waits it uses no memory, and a restart does not change the time.'
          : 'While the run waits it uses no memory, and other runs of the flow may take its place. An answer that comes before the run waits is kept for it.'}
      </Text>
    </>
  )
}

const FIRST: Record<Way, unknown> = { seconds: 5, until: '', callback: {}, approval: { title: '' } }

export function RespondForm({ place: { path, step } }: KindFormProps) {
  const { set, readOnly } = useField(path)
  const isFile = Object.hasOwn(step, 'file')
  const choose = (chosen: string) => {
    const rest = Object.fromEntries(Object.entries(step).filter(([key]) => key !== 'file' && key !== 'body'))
    set(chosen === 'file' ? { ...rest, file: '' } : rest)
  }
  return (
    <>
      <NumberField path={`${path}/status`} label="Status" placeholder="200" />
      <SegmentedControl
        size="xs"
        aria-label="What it sends"
        value={isFile ? 'file' : 'body'}
        disabled={readOnly}
        onChange={choose}
        data={[
          { value: 'body', label: 'A body' },
          { value: 'file', label: 'A file' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {isFile ? (
        <TemplateField path={`${path}/file`} label="File" placeholder="{{ steps.report.body }}" />
      ) : (
        <ValueField
          path={`${path}/body`}
          label="Body"
          description="JSON; with another Content-Type, text is sent as it is"
          multiline
        />
      )}
      <FieldFrame label="Headers">
        <NameValueList path={`${path}/headers`} noun="header" placeholder={['Content-Type', 'application/json']} />
      </FieldFrame>
    </>
  )
}

export function StopForm() {
  return (
    <Text size="sm" c="dimmed">
      Ends the run here as succeeded. This step has no settings.
    </Text>
  )
}

export function FailForm({ place: { path } }: KindFormProps) {
  return (
    <TemplateField
      path={`${path}/message`}
      label="Message"
      description="why the run failed"
      placeholder="The API replied {{ steps.ask.status }}"
    />
  )
}
