// A wait for an outside system that calls back.
import { Text } from '@mantine/core'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { ConditionField } from '../../fields/template-field.tsx'
import { isObject } from '../../flow-model/is-object.ts'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { AcceptedTypes } from './accepted-types.tsx'
import { AUTH_WORDS, SenderAuth } from './sender-auth.tsx'
import { UrlHint } from './url-hint.tsx'
import { WaitEnd } from './wait-end.tsx'

export function CallbackForm({ path, step }: { path: string; step: string }) {
  const { value, issues } = useField(path)
  const callback = isObject(value) ? value : {}
  const auth = isObject(callback['auth']) ? String(callback['auth']['kind']) : 'none'
  return (
    <>
      <UrlHint step={step}>Give it to the system that calls back, in a step before this one:</UrlHint>
      <IssueNotes issues={issues} />
      <WaitEnd path={path} />
      <div className={panel.sections}>
        <Section
          title="Which callbacks count"
          summary={callback['when'] === undefined ? 'all' : 'filtered'}
          open={callback['when'] !== undefined}
          holds={[`${path}/when`]}
        >
          <ConditionField
            path={`${path}/when`}
            label="Only when"
            optional
            placeholder="{{ callback.body.state == 'done' }}"
          />
          <Text size="xs" c="dimmed">
            Others get a success reply and appear in the inbox as filtered. The run waits on.
          </Text>
        </Section>
        <Section
          title="Who may answer"
          summary={AUTH_WORDS[auth] ?? auth}
          open={auth !== 'none'}
          holds={[`${path}/auth`]}
        >
          <SenderAuth path={`${path}/auth`} />
        </Section>
        <Section
          title="What is accepted"
          summary={Array.isArray(callback['accept']) ? callback['accept'].join(', ') : 'JSON'}
          holds={[`${path}/accept`]}
        >
          <AcceptedTypes path={`${path}/accept`} />
        </Section>
      </div>
    </>
  )
}
