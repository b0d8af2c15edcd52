// What happens when the step fails. A step that ends the run has no use for it.
import { Switch } from '@mantine/core'
import { PlainNumberField, SegmentField, TagsField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import type { StepPlace } from '../../flow-model/flow-tree.ts'
import { stepKind } from '../../step-kinds/index.ts'
import classes from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'

const ENDS_RUN = { fail: 'Fail the run', continue: 'Continue' }
const ON_ERROR = { placeholder: 'error', suggestions: ['error'] }

export function ErrorHandling({ place }: { place: StepPlace }) {
  const { path, step } = place
  const { onErrorWords = ENDS_RUN, retryOn = ON_ERROR, ends } = stepKind(step.kind)
  const retry = useField(`${path}/retry`)
  const isOn = retry.value !== undefined
  // What a document sets all the same can be seen, and taken back.
  if (ends && step.onError === undefined && !isOn) return null
  const summary = [
    step.onError === 'continue' ? 'continues' : 'fails the run',
    isOn && `tried up to ${step.retry?.attempts ?? 3} times`,
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <Section title="If it fails" summary={summary} holds={[`${path}/onError`, `${path}/retry`]}>
      <SegmentField
        path={`${path}/onError`}
        label="Then"
        fallback="fail"
        options={[
          { value: 'fail', label: onErrorWords.fail },
          { value: 'continue', label: onErrorWords.continue },
        ]}
      />
      <Switch
        size="xs"
        label="Try again"
        description="After a pause that grows each time. The run waits without holding memory."
        checked={isOn}
        disabled={retry.readOnly}
        onChange={({ currentTarget }) => retry.set(currentTarget.checked ? { attempts: 3 } : undefined)}
      />
      {isOn && (
        <>
          <div className={classes.two}>
            <PlainNumberField path={`${path}/retry/attempts`} label="Attempts" description="in total" placeholder="3" />
            <PlainNumberField path={`${path}/retry/delay`} label="First pause" placeholder="1 s" suffix="s" />
            <PlainNumberField path={`${path}/retry/backoff`} label="Grows by" placeholder="2" />
            <PlainNumberField path={`${path}/retry/maxDelay`} label="Longest pause" placeholder="60 s" suffix="s" />
          </div>
          <TagsField
            path={`${path}/retry/on`}
            label="When"
            numbers
            placeholder={retryOn.placeholder}
            suggestions={retryOn.suggestions}
          />
        </>
      )}
    </Section>
  )
}
