// The cases of a branch: the first whose condition holds is taken.
import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { PlainTextField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { ConditionField } from '../../fields/template-field.tsx'
import { nestedLists } from '../../flow-model/flow-tree.ts'
import { plural } from '../../ui/format.ts'
import { ListTools } from '../panel/list-tools.tsx'
import classes from '../panel/panel.module.css'
import type { KindFormProps } from './kind-form-props.ts'

export function BranchForm({ place: { path, step } }: KindFormProps) {
  const { value, set, issues, readOnly } = useField(`${path}/cases`)
  const cases = Array.isArray(value) ? (value as { steps?: unknown[] }[]) : []
  const otherwise = nestedLists(step).at(-1)!
  return (
    <>
      {cases.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a case has nothing else that names it
        <div key={index} className={classes.case}>
          <div className={classes.caseHead}>
            <Text size="xs" c="dimmed">
              Case {index + 1} · {plural(one.steps?.length ?? 0, 'step')}
            </Text>
            <ListTools
              name={`case ${index + 1}`}
              list={cases}
              index={index}
              fewest={1}
              readOnly={readOnly}
              onChange={set}
            />
          </div>
          <ConditionField
            path={`${path}/cases/${index}/when`}
            label="When"
            inputLabel={`Condition of case ${index + 1}`}
          />
          <PlainTextField
            path={`${path}/cases/${index}/name`}
            label="Label"
            inputLabel={`Label of case ${index + 1}`}
            placeholder="Shown over the steps instead of the condition"
          />
        </div>
      ))}
      <IssueNotes issues={issues} />
      {!readOnly && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set([...cases, { when: '', steps: [] }])}
        >
          Add case
        </Button>
      )}
      <Text size="xs" c="dimmed">
        The branch takes the first case whose condition is true. Otherwise {stepsRun(otherwise.steps.length)}.
      </Text>
    </>
  )
}

const stepsRun = (count: number): string =>
  count === 0 ? 'nothing runs' : count === 1 ? 'one step runs' : `${count} steps run`
