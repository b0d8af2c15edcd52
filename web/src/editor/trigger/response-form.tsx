import { SegmentedControl, Text } from '@mantine/core'
import { useMemo } from 'react'
import { PlainNumberField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField, useFields, usePreviewContext } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { PreviewText } from '../../fields/field-preview.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { NumberField, ValueField } from '../../fields/template-field.tsx'
import type { StepPlace } from '../../flow-model/flow-tree.ts'
import { replyingSteps } from '../../flow-model/replying-steps.ts'
import { previewTree } from '../../flow-model/templates/preview.ts'
import { Section } from '../panel/section.tsx'
import classes from './trigger.module.css'

const PATH = '/trigger/response'

interface Response {
  mode?: string
  status?: unknown
  body?: unknown
  error?: { status?: unknown; body?: unknown }
}

export function ResponseForm() {
  const { value, set, readOnly } = useField(PATH)
  const response = (value ?? {}) as Response
  const waits = response.mode === 'finished'
  const choose = (mode: string) => {
    const { mode: _mode, ...rest } = response
    const changed = mode === 'immediate' && Object.keys(rest).length === 0 ? undefined : { ...rest, mode }
    set(changed)
  }
  return (
    <>
      <FieldFrame label="Reply">
        <SegmentedControl
          size="xs"
          aria-label="When to reply"
          value={waits ? 'finished' : 'immediate'}
          disabled={readOnly}
          onChange={choose}
          data={[
            { value: 'immediate', label: 'At once' },
            { value: 'finished', label: 'When the run is finished' },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
      </FieldFrame>
      <NumberField path={`${PATH}/status`} label="Status" placeholder="200" />
      <ValueField path={`${PATH}/body`} label="Body" description="empty: the standard reply" multiline />
      <FieldFrame label="Headers">
        <NameValueList path={`${PATH}/headers`} noun="header" placeholder={['Cache-Control', 'no-store']} />
      </FieldFrame>
      <CallerGets response={response} waits={waits} />
      {waits && (
        <>
          <PlainNumberField
            path={`${PATH}/timeout`}
            label="Wait at most"
            description="then the caller gets 202, and the run continues"
            placeholder="30 s"
            suffix="s"
          />
          <SwitchField
            path={`${PATH}/reveal`}
            label="Allow secrets in the reply"
            description="Otherwise a reply may not contain values of a connection or the environment."
            standard={false}
          />
          <Section title="If the run fails" summary={statusText(response.error?.status ?? 500)}>
            <NumberField path={`${PATH}/error/status`} label="Status" placeholder="500" />
            <ValueField path={`${PATH}/error/body`} label="Body" description="empty: the error's message" multiline />
            <ReplyPreview
              path={`${PATH}/error/body`}
              status={response.error?.status ?? 500}
              body={response.error?.body ?? { status: 'error', message: '{{ error.message }}', id: '{{ run.id }}' }}
              title="The caller then gets"
            />
          </Section>
        </>
      )}
    </>
  )
}

/** What a step answers comes before what is set here. */
function CallerGets({ response, waits }: { response: Response; waits: boolean }) {
  const { document } = useFields()
  const { maybe, always } = waits ? replyingSteps(document) : { maybe: [], always: null }
  const ofStep = ({ step, path }: StepPlace, title: string) => (
    <ReplyPreview
      key={path}
      path={`${path}/body`}
      status={step['status'] ?? 200}
      body={step['body'] ?? ''}
      title={title}
    />
  )
  return (
    <>
      {maybe.map((place) => ofStep(place, `Where the step ${place.step.id} runs, the caller gets`))}
      {always ? (
        <>
          {ofStep(always, `The caller gets, from the step ${always.step.id}`)}
          <Text size="xs" c="dimmed">
            The status, body and headers above are not used: the step answers first.
          </Text>
        </>
      ) : (
        <ReplyPreview
          path={`${PATH}/body`}
          status={response.status ?? 200}
          body={response.body ?? { status: 'success', message: 'Webhook received', id: '{{ run.id }}' }}
          title={maybe.length > 0 ? 'Otherwise the caller gets' : 'The caller gets'}
        />
      )}
    </>
  )
}

const statusText = (status: unknown): string => (typeof status === 'string' ? status : JSON.stringify(status))

interface ReplyPreviewProps {
  path: string
  status: unknown
  body: unknown
  title: string
}

function ReplyPreview({ path, status, body, title }: ReplyPreviewProps) {
  const context = usePreviewContext(path)
  const shown = useMemo(() => previewTree(body, context) ?? { kind: 'value' as const, value: body }, [body, context])
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {title}
      </Text>
      <div className={classes.reply}>
        <b>{statusText(status)}</b>{' '}
        {shown.kind === 'value' && (
          <PreviewText text={typeof shown.value === 'string' ? shown.value : JSON.stringify(shown.value, null, 2)} />
        )}
        {shown.kind !== 'value' && (shown.kind === 'later' ? shown.reason : shown.message)}
      </div>
    </div>
  )
}
