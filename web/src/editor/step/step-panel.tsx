// The selected step: its id, its settings, what happens when it fails, and its test.

import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconDots,
  IconReplace,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react'
import { useId, useState } from 'react'
import type { HttpRequestSettings } from '../../../../src/flow/curl/http-settings.ts'
import { toCurl } from '../../../../src/flow/curl/to-curl.ts'
import { PlainTextField, SwitchField } from '../../fields/choice-fields.tsx'
import { useFields } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { allSteps, type StepPlace } from '../../flow-model/flow-tree.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import { GuideIcon } from '../../ui/text/guide-link.tsx'
import { issuesOf } from '../canvas/use-nodes.ts'
import { KindForm } from '../kinds/kind-form.tsx'
import classes from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { ClosePanel } from '../panel/side-panel.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { useEdits } from '../state/use-edits.ts'
import { ErrorHandling } from './error-handling.tsx'
import { type ImportSource, ImportStep } from './import-step.tsx'
import { TestStep } from './test-result.tsx'

export function StepPanel({ place }: { place: StepPlace }) {
  const { open, search, kinds } = useEditor()
  const [importing, setImporting] = useState<ImportSource | null>(null)
  const { step, path } = place
  const { issues } = useFields()
  // Those that no field shows.
  const general = issuesOf(place, issues).filter((issue) => issue.path === path || issue.path === `${path}/kind`)
  return (
    <>
      <div className={classes.head}>
        <KindIcon kind={step.kind} size={17} />
        <StepId place={place} />
        <span className={classes.kind}>{kinds.find(({ kind }) => kind === step.kind)?.label ?? step.kind}</span>
        <div className={classes.tools}>
          <GuideIcon page={stepKind(step.kind).guide} label="This kind of step in the guide" />
          <StepMenu place={place} onImport={setImporting} />
          <ClosePanel onClose={() => open(search.view ? { view: search.view } : {})} />
        </div>
      </div>
      <div className={classes.scroll} data-panel-body>
        <div className={classes.content}>
          <IdIssue place={place} />
          <IssueNotes issues={general} />
          {importing && (
            <ImportStep key={importing} place={place} from={importing} onClose={() => setImporting(null)} />
          )}
          <KindForm place={place} />
          <hr className={classes.divider} />
          <ErrorHandling place={place} />
          <Section
            title="Secrets"
            summary={step.reveal === true ? 'may be seen' : 'stay hidden'}
            holds={[`${path}/reveal`]}
          >
            <SwitchField
              path={`${path}/reveal`}
              label="Show the result"
              description="The result may be shown in the run, in later steps and in replies, although it derives from a connection or the environment."
              standard={false}
            />
          </Section>
          <PlainTextField
            path={`${path}/name`}
            label="Label"
            description="shown on the card"
            placeholder="What this step is for"
          />
        </div>
      </div>
      <TestStep place={place} />
    </>
  )
}

const ID = /^[a-z][a-z0-9_]{0,63}$/

/** Renaming follows into every template, so it is done when the new id is complete. What cannot be an id stays, and says why. */
function StepId({ place }: { place: StepPlace }) {
  const { document, readOnly } = useEditor()
  const edits = useEdits()
  const noteId = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? place.step.id
  const isTaken = allSteps(document).some(({ step, path }) => step.id === text && path !== place.path)
  const fault = isTaken ? `${text} is the id of another step.` : ID.test(text) ? null : NO_ID
  const finish = () => {
    if (fault !== null) return
    setTyped(null)
    if (text !== place.step.id) edits.rename(place, text)
  }
  return (
    <>
      <input
        className={classes.id}
        aria-label="Id of the step"
        aria-invalid={fault !== null}
        aria-describedby={noteId}
        title={fault === null ? 'Click to rename' : undefined}
        value={text}
        size={Math.max(4, text.length)}
        readOnly={readOnly}
        spellCheck={false}
        onChange={({ currentTarget }) => setTyped(currentTarget.value.replaceAll(/[\s-]/g, '_').toLowerCase())}
        onBlur={finish}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur()
          if (key === 'Escape') setTyped(null)
        }}
      />
      <p id={noteId} className={classes.idNote} role="alert" hidden={typed === null || fault === null}>
        {typed !== null && fault !== null && `${fault} The id is still ${place.step.id || 'empty'}.`}
      </p>
    </>
  )
}

const NO_ID = 'Use small letters, digits and _, beginning with a letter; 64 characters at most.'

function IdIssue({ place }: { place: StepPlace }) {
  const { issues } = useFields()
  return <IssueNotes issues={issues.filter(({ path }) => path === `${place.path}/id`)} />
}

function StepMenu({ place, onImport }: { place: StepPlace; onImport: (from: ImportSource) => void }) {
  const { kinds, readOnly } = useEditor()
  const edits = useEdits()
  const { step } = place
  const { sendsRequest } = stepKind(step.kind)
  const copyCurl = () => {
    void navigator.clipboard
      .writeText(toCurl(step as unknown as HttpRequestSettings))
      .then(() => notifyDone('Copied as curl. Templates stand as they are, secrets as placeholders.'))
  }
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon aria-label="More for this step">
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {sendsRequest && (
          <Menu.Item leftSection={<IconTerminal2 size={15} />} onClick={copyCurl}>
            Copy as curl
          </Menu.Item>
        )}
        {sendsRequest &&
          (['curl', 'OpenAPI'] as const).map((from) => (
            <Menu.Item
              key={from}
              leftSection={<IconReplace size={15} />}
              disabled={readOnly}
              onClick={() => onImport(from)}
            >
              Import from {from}
            </Menu.Item>
          ))}
        {sendsRequest && <Menu.Divider />}
        <Menu.Item leftSection={<IconCopy size={15} />} disabled={readOnly} onClick={() => edits.duplicate(place)}>
          Duplicate
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowUp size={15} />} disabled={readOnly} onClick={() => edits.move(place, 'up')}>
          Move up
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={15} />}
          disabled={readOnly}
          onClick={() => edits.move(place, 'down')}
        >
          Move down
        </Menu.Item>
        <Menu.Sub>
          <Menu.Sub.Target>
            <Menu.Sub.Item leftSection={<IconReplace size={15} />} disabled={readOnly}>
              Change the kind
            </Menu.Sub.Item>
          </Menu.Sub.Target>
          <Menu.Sub.Dropdown>
            {kinds
              .filter(({ kind }) => kind !== step.kind)
              .map(({ kind, label }) => (
                <Menu.Item
                  key={kind}
                  leftSection={<KindIcon kind={kind} size={15} />}
                  onClick={() => edits.changeKind(place, kind)}
                >
                  {label}
                </Menu.Item>
              ))}
          </Menu.Sub.Dropdown>
        </Menu.Sub>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={15} />}
          disabled={readOnly}
          onClick={() => edits.remove(place)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
