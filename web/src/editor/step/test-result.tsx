// Test Step: runs the step once, of a loop its first rounds, and shows what came of it below the form.
import { Button, NumberInput, Text } from '@mantine/core'
import { IconPin, IconPinnedOff, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import type { RunStep, StepTest } from '../../api/api-types.ts'
import type { StepPlace } from '../../flow-model/flow-tree.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { StatusDot } from '../../ui/status.tsx'
import classes from '../panel/panel.module.css'
import { type TestState, useEditor } from '../state/editor-context.tsx'
import { outcomeOfTest } from '../state/use-outcomes.ts'
import { Result, type ShownResult } from './result.tsx'

const MOST_ROUNDS = 100
const FIRST_ROUNDS = 3

export function TestStep({ place }: { place: StepPlace }) {
  const { tests, readOnly } = useEditor()
  const [rounds, setRounds] = useState(FIRST_ROUNDS)
  const { id, kind } = place.step
  const { repeats } = stepKind(kind)
  const state = tests.steps.get(id)
  const shown = shownResult(place, tests)
  return (
    <div className={classes.foot}>
      <div className={classes.testing} role="status">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          loading={state?.status === 'running'}
          disabled={readOnly || id === ''}
          onClick={() => void tests.testStep(id, repeats ? rounds : undefined)}
        >
          Test step
        </Button>
        {repeats && (
          <NumberInput
            size="xs"
            w={60}
            aria-label="Rounds to test"
            min={1}
            max={MOST_ROUNDS}
            clampBehavior="strict"
            allowDecimal={false}
            value={rounds}
            disabled={readOnly}
            onChange={(value) => typeof value === 'number' && setRounds(value)}
          />
        )}
        {repeats && (
          <Text size="xs" c="dimmed">
            rounds
          </Text>
        )}
        <TestSummary place={place} state={state} from={shown?.from} />
        {shown && <PinButton place={place} shown={shown} />}
      </div>
      {state?.status === 'refused' && (
        <div className={classes.result}>
          <ErrorNote title="The step could not be tested" error={state.error} />
        </div>
      )}
      {shown && <Result id={id} kind={kind} {...shown} />}
    </div>
  )
}

type From = 'test' | 'run' | 'kept'

/** What there is to show: the test just made, else the pin, else the test run, else the last test. */
function shownResult(
  { step: { id } }: StepPlace,
  { steps, run, outputs, pinned }: ReturnType<typeof useEditor>['tests'],
): (ShownResult & { from: From }) | null {
  const state = steps.get(id)
  if (state?.status === 'done') return { ...state.result, from: 'test' }
  if (state) return null
  const kept = { output: outputs[id], error: null, from: 'kept' as const }
  if (pinned.has(id)) return kept
  const ran = run?.steps.findLast((step) => step.id === id && step.kind !== 'round')
  if (ran)
    return hasEnded(ran)
      ? { input: ran.input, output: ran.output, error: ran.error, logs: ran.logs, from: 'run' }
      : null
  return Object.hasOwn(outputs, id) ? kept : null
}

const hasEnded = ({ status }: RunStep): boolean => status !== 'running' && status !== 'waiting'

interface SummaryProps {
  place: StepPlace
  state: TestState | undefined
  from: From | undefined
}

function TestSummary({ place: { step }, state, from }: SummaryProps) {
  const { tests } = useEditor()
  const { id } = step
  if (state?.status === 'running') return <StatusDot status="running" />
  if (state?.status === 'refused') return null
  if (tests.old.has(id) && from && !tests.pinned.has(id))
    return (
      <Text size="xs" c="var(--mr-wait)">
        Edited since this result
      </Text>
    )
  if (state?.status === 'done') {
    const outcome = outcomeOfTest(step.kind, state.result)
    return (
      <>
        <StatusDot status={outcome.status} word={outcome.status === 'troubled' ? outcome.text : true} />
        <Text size="xs" c="dimmed">
          {[firstRounds(state.result), outcome.status !== 'troubled' && outcome.text].filter(Boolean).join(' · ')}
        </Text>
      </>
    )
  }
  if (tests.pinned.has(id))
    return (
      <Text size="xs" c="dimmed">
        Pinned: tests use this result
      </Text>
    )
  const ran = tests.run?.steps.findLast((other) => other.id === id && other.kind !== 'round')
  if (ran)
    return (
      <>
        <StatusDot status={ran.status} />
        <Text size="xs" c="dimmed">
          in the test run
        </Text>
      </>
    )
  return (
    <Text size="xs" c="dimmed">
      {from === undefined
        ? stepKind(step.kind).repeats
          ? 'Runs them with the current sample.'
          : 'Runs this step once, with the current sample.'
        : 'From its last test'}
    </Text>
  )
}

/** "first 3 of 5,000", where a loop has more rounds than ran. */
function firstRounds({ input, output }: StepTest): string {
  const [all, ran] = [input, output].map((value) => (isObject(value) ? value['count'] : undefined))
  if (typeof all !== 'number' || typeof ran !== 'number' || ran >= all) return ''
  return `first ${ran.toLocaleString('en')} of ${all.toLocaleString('en')}`
}

/** A step that answers or ends leaves nothing that later steps could read. */
function PinButton({ place: { step }, shown }: { place: StepPlace; shown: ShownResult & { from: From } }) {
  const { tests, readOnly } = useEditor()
  const { ends, answersCaller } = stepKind(step.kind)
  const isPinned = tests.pinned.has(step.id)
  if (ends || answersCaller) return null
  const output = shown.error ? { ...(isObject(shown.output) ? shown.output : {}), error: shown.error } : shown.output
  return (
    <div className={classes.pin}>
      {(!isPinned || shown.from === 'test') && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPin size={14} />}
          disabled={readOnly || output === undefined}
          title="Tests of later steps and of the flow use this result, and do not run the step. Published runs are not affected."
          onClick={() => void tests.pin(step.id, output)}
        >
          {isPinned ? 'Pin this instead' : 'Pin'}
        </Button>
      )}
      {isPinned && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPinnedOff size={14} />}
          disabled={readOnly}
          onClick={() => void tests.unpin(step.id)}
        >
          Unpin
        </Button>
      )}
    </div>
  )
}
