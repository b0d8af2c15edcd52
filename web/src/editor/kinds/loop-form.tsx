// A loop over a list, or while a condition holds.
import { SegmentedControl } from '@mantine/core'
import { PlainNumberField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { ConditionField, ValueField } from '../../fields/template-field.tsx'
import classes from '../panel/panel.module.css'
import type { KindFormProps } from './kind-form-props.ts'

export function LoopForm({ place: { path } }: KindFormProps) {
  const step = useField(path)
  const value = step.value as Record<string, unknown>
  const kind = Object.hasOwn(value, 'while') ? 'while' : 'each'
  const choose = (chosen: string) => {
    const { each: _each, while: _while, concurrency: _concurrency, max: _max, steps, ...rest } = value
    step.set({ ...rest, [chosen]: '', steps })
  }
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="How it repeats"
        value={kind}
        disabled={step.readOnly}
        onChange={choose}
        data={[
          { value: 'each', label: 'For each item' },
          { value: 'while', label: 'While' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {kind === 'each' ? (
        <ValueField
          path={`${path}/each`}
          label="List"
          description="read in the steps as loop.item"
          placeholder="{{ webhook.body.items }}"
          required
        />
      ) : (
        <ConditionField
          path={`${path}/while`}
          label="While"
          description="asked before each round; loop.index counts from 0"
          placeholder="{{ loop.index == 0 || steps.page.body.has_more }}"
        />
      )}
      <ValueField
        path={`${path}/collect`}
        label="Collect"
        description="what each round leaves in results"
        placeholder="{{ steps.page.body.items }}"
      />
      <div className={classes.two}>
        {kind === 'each' ? (
          <PlainNumberField
            path={`${path}/concurrency`}
            label="At once"
            description="rounds, 1 to 100"
            placeholder="1"
          />
        ) : (
          <PlainNumberField
            path={`${path}/max`}
            label="At most"
            description="rounds, then it fails"
            placeholder="1000"
          />
        )}
      </div>
    </>
  )
}
