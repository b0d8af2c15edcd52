// Kinds with few settings.
import { SegmentedControl, Text } from '@mantine/core'
import { DurationField } from '../../fields/duration-field.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { NumberField, TemplateField, ValueField } from '../../fields/template-field.tsx'
import type { KindFormProps } from './kind-form-props.ts'

export function WaitForm({ place: { path } }: KindFormProps) {
  const step = useField(path)
  const value = step.value as Record<string, unknown>
  const kind = Object.hasOwn(value, 'until') ? 'until' : 'seconds'
  const choose = (chosen: string) => {
    const { seconds: _seconds, until: _until, ...rest } = value
    step.set({ ...rest, [chosen]: chosen === 'seconds' ? 5 : '' })
  }
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="How long it waits"
        value={kind}
        disabled={step.readOnly}
        onChange={choose}
        data={[
          { value: 'seconds', label: 'For a time' },
          { value: 'until', label: 'Until a date' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {kind === 'seconds' ? (
        <DurationField path={`${path}/seconds`} label="Time" placeholder="5" />
      ) : (
        <TemplateField path={`${path}/until`} label="Until" description="ISO 8601" placeholder="2026-12-31T18:00:00Z" />
      )}
      <Text size="xs" c="dimmed">
        While the run waits it uses no memory, and a restart does not change the time.
      </Text>
    </>
  )
}

export function RespondForm({ place: { path } }: KindFormProps) {
  return (
    <>
      <NumberField path={`${path}/status`} label="Status" placeholder="200" />
      <ValueField
        path={`${path}/body`}
        label="Body"
        description="JSON; with another Content-Type, text is sent as it is"
        multiline
      />
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
