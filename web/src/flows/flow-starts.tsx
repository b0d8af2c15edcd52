// Ways to begin: a blank flow, or one of the examples.
import { Skeleton, Text, UnstyledButton } from '@mantine/core'
import { IconArrowNarrowRight, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Example, FlowDocument, StepDocument } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { nestedLists } from '../flow-model/flow-tree.ts'
import { TrailIcon, TriggerMark } from '../step-kinds/kind-icon.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import classes from './flow-starts.module.css'
import { blankOf, useFlowActions } from './use-flow-actions.ts'

export function FlowStarts() {
  const examples = useQuery(queries.examples)
  const { create } = useFlowActions()
  const start = useMutation({ mutationFn: ({ document }: { id: string; document: FlowDocument }) => create(document) })
  const busy = start.isPending ? start.variables.id : null
  return (
    <>
      {start.isError && <ErrorNote title="The flow was not created" error={start.error} />}
      {examples.isError && (
        <ErrorNote
          title="The templates could not be loaded"
          error={examples.error}
          onRetry={() => void examples.refetch({ cancelRefetch: true })}
        />
      )}
      <div className={classes.grid}>
        <UnstyledButton
          className={classes.card}
          data-blank
          data-busy={busy === 'blank' || undefined}
          disabled={start.isPending}
          onClick={() => start.mutate({ id: 'blank', document: blankOf('webhook') })}
        >
          <div className={classes.trail}>
            <IconPlus size={18} aria-hidden="true" />
          </div>
          <span className={classes.name}>Blank flow</span>
          <Text size="sm" c="dimmed">
            A webhook, and no steps yet.
          </Text>
        </UnstyledButton>
        <UnstyledButton
          className={classes.card}
          data-blank
          data-busy={busy === 'schedule' || undefined}
          disabled={start.isPending}
          onClick={() => start.mutate({ id: 'schedule', document: blankOf('schedule') })}
        >
          <div className={classes.trail}>
            <TriggerMark kind="schedule" size={18} />
          </div>
          <span className={classes.name}>On a schedule</span>
          <Text size="sm" c="dimmed">
            Runs at planned times, and has no steps yet.
          </Text>
        </UnstyledButton>
        {examples.isPending && ['a', 'b', 'c', 'd', 'e'].map((key) => <Skeleton key={key} height={148} radius="lg" />)}
        {examples.data?.items.map((example) => (
          <TemplateCard
            key={example.id}
            example={example}
            busy={busy === example.id}
            disabled={start.isPending}
            onStart={() => start.mutate(example)}
          />
        ))}
      </div>
    </>
  )
}

interface TemplateCardProps {
  example: Example
  busy: boolean
  disabled: boolean
  onStart: () => void
}

function TemplateCard({ example, busy, disabled, onStart }: TemplateCardProps) {
  return (
    <UnstyledButton className={classes.card} data-busy={busy || undefined} disabled={disabled} onClick={onStart}>
      <div className={classes.trail}>
        {kindsOf(example.document).map((kind, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a trail of kinds, in which the same may come twice
          <span key={i} className={classes.stop}>
            {i > 0 && <IconArrowNarrowRight size={12} className={classes.arrow} aria-hidden="true" />}
            {i === 0 ? <TriggerMark kind={kind} size={18} /> : <TrailIcon kind={kind} size={18} />}
          </span>
        ))}
      </div>
      <span className={classes.name}>{example.name}</span>
      <Text size="sm" c="dimmed" lineClamp={3}>
        {example.description.replace(/^[^:]{1,30}: */, '').replace(/^./, (letter) => letter.toUpperCase())}
      </Text>
    </UnstyledButton>
  )
}

const LONGEST_TRAIL = 6

/** The kinds in the order they are met, for a picture of the flow. */
function kindsOf(document: FlowDocument): string[] {
  const kinds: string[] = [document.trigger.kind]
  const walk = (steps: StepDocument[]): void => {
    for (const step of steps) {
      kinds.push(step.kind)
      for (const { steps: nested } of nestedLists(step)) walk(nested)
    }
  }
  walk(document.steps)
  return kinds.slice(0, LONGEST_TRAIL)
}
