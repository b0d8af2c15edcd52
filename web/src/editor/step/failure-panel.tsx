// What is done when a run has failed: what the settings say, steps of this flow, or another flow.
import { Anchor, Button, SegmentedControl, Text } from '@mantine/core'
import { IconLifebuoy, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { useFields } from '../../fields/field-context.tsx'
import { FieldFrame, IssueNotes } from '../../fields/field-frame.tsx'
import { type EditedFlow, ON_FAILURE, withValue } from '../../flow-model/flow-tree.ts'
import { GuideIcon } from '../../ui/text/guide-link.tsx'
import { FlowField } from '../kinds/flow-field.tsx'
import panel from '../panel/panel.module.css'
import { ClosePanel } from '../panel/side-panel.tsx'
import { useEditor } from '../state/editor-context.tsx'

export function FailurePanel() {
  const { document, open, search } = useEditor()
  const { issues } = useFields()
  const chosen = choiceOf(document.onFailure)
  return (
    <>
      <div className={panel.head}>
        <IconLifebuoy size={17} aria-hidden="true" />
        <h2 className={panel.title}>When a run fails</h2>
        <div className={panel.tools}>
          <GuideIcon page="flows#when-a-run-fails" label="Failed runs in the guide" />
          <ClosePanel onClose={() => open(search.view ? { view: search.view } : {})} />
        </div>
      </div>
      <div className={panel.scroll} data-panel-body>
        <div className={panel.content}>
          <Text size="sm">
            The run is failed and its caller has been answered. Then this is done, once, and shown on the page of the
            run.
          </Text>
          <Choice />
          <IssueNotes issues={issues.filter(({ path }) => path === ON_FAILURE)} />
          {chosen === 'default' && <Default />}
          {chosen === 'steps' && <Steps />}
          {chosen === 'flow' && <CalledFlow />}
        </div>
      </div>
    </>
  )
}

type Handling = 'default' | 'steps' | 'flow'

const choiceOf = (onFailure: EditedFlow['onFailure']): Handling =>
  onFailure === undefined ? 'default' : Array.isArray(onFailure) ? 'steps' : 'flow'

const CHOICES: { value: Handling; label: string; edit: string }[] = [
  { value: 'default', label: 'As in the settings', edit: 'Leave failed runs to the settings' },
  { value: 'steps', label: 'Steps', edit: 'Handle failed runs by steps' },
  { value: 'flow', label: 'Another flow', edit: 'Handle failed runs by a flow' },
]

/** What was set under a choice comes back when it is chosen again. */
function Choice() {
  const { document, editor, readOnly } = useEditor()
  const { onFailure } = document
  const left = useRef(new Map<Handling, EditedFlow['onFailure']>())
  const change = (to: Handling) => {
    left.current.set(choiceOf(onFailure), onFailure)
    const blank = { default: undefined, steps: [], flow: { flow: '' } }[to]
    const { edit } = CHOICES.find(({ value }) => value === to)!
    editor.edit(withValue(document, ON_FAILURE, left.current.get(to) ?? blank), { label: edit })
  }
  return (
    <FieldFrame label="What is done">
      <SegmentedControl
        aria-label="What is done"
        size="xs"
        data={CHOICES.map(({ value, label }) => ({ value, label }))}
        value={choiceOf(onFailure)}
        onChange={(value) => change(value as Handling)}
        disabled={readOnly}
        style={{ alignSelf: 'flex-start' }}
      />
    </FieldFrame>
  )
}

function Default() {
  const failureFlow = useQuery(queries.failureFlow).data
  if (!failureFlow) return null
  const { flow } = failureFlow
  return (
    <Text size="sm" c="dimmed">
      {flow ? (
        <>
          The failure flow of this instance is called: <FlowLink id={flow.id} name={flow.name} />.
        </>
      ) : (
        'Nothing is done: this instance has no failure flow.'
      )}{' '}
      Owners choose it in{' '}
      <Anchor size="sm" underline="always" renderRoot={(props) => <Link {...props} to="/settings/failures" />}>
        the settings
      </Anchor>
      .
    </Text>
  )
}

function FlowLink({ id, name }: { id: string; name: string }) {
  return (
    <Anchor size="sm" underline="always" renderRoot={(props) => <Link {...props} to="/flows/$id" params={{ id }} />}>
      {name}
    </Anchor>
  )
}

function Steps() {
  const { document, readOnly, search, open, setAdding } = useEditor()
  const count = Array.isArray(document.onFailure) ? document.onFailure.length : 0
  const add = () => {
    // The menu of kinds opens on the canvas.
    if (search.view) open({ failure: true })
    setAdding({ list: ON_FAILURE, index: count })
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        The steps stand below the card on the canvas. Besides what the run had, they read <code>error</code> (code,
        message, step, status) and <code>failed</code> (run, step, version, at).
        {count === 0 && ' While there is none, nothing is done, not even what the settings say.'}
      </Text>
      {!readOnly && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={add}
        >
          Add a step
        </Button>
      )}
    </>
  )
}

function CalledFlow() {
  return (
    <>
      <FlowField path={`${ON_FAILURE}/flow`} />
      <Text size="sm" c="dimmed">
        The flow gets <code>error</code>, <code>run</code> (the id), <code>flow</code> (id, name, slug) and what the run
        began with, as its input. Secrets of this flow are hidden in it.
      </Text>
    </>
  )
}
