// The branches of a parallel step, and which of them have to succeed.
import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { PlainTextField, SegmentField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { newBranch } from '../../step-kinds/parallel.ts'
import { plural } from '../../ui/format.ts'
import { ListTools } from '../panel/list-tools.tsx'
import classes from '../panel/panel.module.css'
import type { KindFormProps } from './kind-form-props.ts'

const MOST_BRANCHES = 20

export function ParallelForm({ place: { path, step } }: KindFormProps) {
  const { value, set, issues, readOnly } = useField(`${path}/branches`)
  const branches = Array.isArray(value) ? (value as { name?: unknown; steps?: unknown[] }[]) : []
  return (
    <>
      <SegmentField
        path={`${path}/finish`}
        label="It is done when"
        fallback="all"
        options={[
          { value: 'all', label: 'all have succeeded' },
          { value: 'first', label: 'the first has succeeded' },
        ]}
      />
      {branches.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
        <div key={index} className={classes.case}>
          <div className={classes.caseHead}>
            <Text size="xs" c="dimmed">
              Branch {index + 1} · {plural(one.steps?.length ?? 0, 'step')}
            </Text>
            <ListTools
              name={`branch ${index + 1}`}
              list={branches}
              index={index}
              fewest={2}
              readOnly={readOnly}
              onChange={set}
            />
          </div>
          <PlainTextField
            path={`${path}/branches/${index}/name`}
            label="Name"
            inputLabel={`Name of branch ${index + 1}`}
          />
        </div>
      ))}
      <IssueNotes issues={issues} />
      {!readOnly && branches.length < MOST_BRANCHES && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set([...branches, newBranch(branches.map(({ name }) => name))])}
        >
          Add branch
        </Button>
      )}
      <Text size="xs" c="dimmed">
        {step['finish'] === 'first'
          ? 'All branches run at the same time. The first that succeeds cancels the others.'
          : 'All branches run at the same time. One that fails cancels the others.'}
      </Text>
    </>
  )
}
