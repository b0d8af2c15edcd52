// The trigger: which kind it has, and the form of that kind.

import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { type ComponentType, lazy, Suspense, useRef } from 'react'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { withValue } from '../../flow-model/flow-tree.ts'
import { TriggerIcon } from '../../step-kinds/kind-icon.tsx'
import { browserZone, TRIGGER_KINDS, triggerKind } from '../../step-kinds/trigger-kinds.ts'
import { GuideIcon } from '../../ui/text/guide-link.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { ClosePanel } from '../panel/side-panel.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { CallTriggerForm } from './call-trigger-form.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** The form of a schedule brings the library along that plans its times. */
const ScheduleForm = lazy(() => import('./schedule-form.tsx').then(({ ScheduleForm: form }) => ({ default: form })))

const FORMS = new Map<string, ComponentType>([
  ['webhook', WebhookForm],
  ['schedule', ScheduleForm],
  ['call', CallTriggerForm],
])

export function TriggerPanel() {
  const { open, search, document } = useEditor()
  const info = triggerKind(document.trigger)
  const Form = FORMS.get(info?.kind ?? '')
  return (
    <>
      <div className={panel.head}>
        <TriggerIcon kind={info?.kind ?? ''} />
        <h2 className={panel.title}>Trigger</h2>
        <span className={panel.kind}>{info?.label ?? String(document.trigger['kind'])}</span>
        <div className={panel.tools}>
          {info && <GuideIcon page={info.page} label={`${info.label}s in the guide`} />}
          <ClosePanel onClose={() => open(search.view ? { view: search.view } : {})} />
        </div>
      </div>
      <div className={panel.scroll} data-panel-body>
        <div className={panel.content}>
          {document.description && (
            <Section title="About this flow" open>
              <Markdown text={document.description} />
            </Section>
          )}
          <KindChoice />
          {Form ? (
            <Suspense fallback={<Skeleton height={320} />}>
              <Form />
            </Suspense>
          ) : (
            <Text size="sm">The settings of this trigger are in the YAML view.</Text>
          )}
        </div>
      </div>
    </>
  )
}

/** Another kind has other settings: those of the one before come back when it is chosen again. */
function KindChoice() {
  const { document, editor, readOnly } = useEditor()
  const { trigger } = document
  const left = useRef(new Map<string, EditedTrigger>())
  const change = (kind: string) => {
    const info = TRIGGER_KINDS.find((other) => other.kind === kind)!
    left.current.set(String(trigger['kind']), trigger)
    const settings = left.current.get(kind) ?? info.blank(browserZone())
    editor.edit(withValue(document, '/trigger', settings), { label: `Start by ${info.label.toLowerCase()}` })
  }
  return (
    <FieldFrame label="What starts it">
      <SegmentedControl
        aria-label="What starts it"
        size="xs"
        data={TRIGGER_KINDS.map(({ kind, label }) => ({ value: kind, label }))}
        value={String(trigger['kind'])}
        onChange={change}
        disabled={readOnly}
        style={{ alignSelf: 'flex-start' }}
      />
    </FieldFrame>
  )
}

type EditedTrigger = ReturnType<typeof useEditor>['document']['trigger']
