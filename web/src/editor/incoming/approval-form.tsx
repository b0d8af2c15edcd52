// A wait for a person who is asked something.
import { SegmentedControl, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { SegmentField } from '../../fields/choice-fields.tsx'
import { useField, usePreviewContext } from '../../fields/field-context.tsx'
import { FieldFrame, IssueNotes } from '../../fields/field-frame.tsx'
import { TemplateField } from '../../fields/template-field.tsx'
import { preview } from '../../flow-model/templates/preview.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { ApprovalAnswers } from './approval-answers.tsx'
import { ApprovalFields } from './approval-fields.tsx'
import classes from './incoming.module.css'
import { UrlHint } from './url-hint.tsx'
import { WaitEnd } from './wait-end.tsx'

export function ApprovalForm({ path, step }: { path: string; step: string }) {
  const { issues } = useField(path)
  return (
    <>
      <UrlHint step={step}>The page with the question. Send its address in a step before this one:</UrlHint>
      <IssueNotes issues={issues} />
      <TemplateField
        path={`${path}/title`}
        label="Question"
        placeholder="Refund {{ webhook.body.amount }} to {{ webhook.body.customer }}?"
      />
      <QuestionText path={`${path}/text`} />
      <ApprovalAnswers path={`${path}/answers`} />
      <ApprovalFields path={`${path}/fields`} />
      <SegmentField
        path={`${path}/who`}
        label="Who may answer"
        fallback="link"
        options={[
          { value: 'link', label: 'whoever has the link' },
          { value: 'users', label: 'users who may edit' },
        ]}
      />
      <WaitEnd path={path} />
    </>
  )
}

function QuestionText({ path }: { path: string }) {
  const { value, issues } = useField(path)
  const [view, setView] = useState<'write' | 'preview'>('write')
  return (
    <div className={classes.text}>
      <SegmentedControl
        size="xs"
        className={classes.views}
        aria-label="How to show the text"
        value={view}
        onChange={(chosen) => setView(chosen as typeof view)}
        data={[
          { value: 'write', label: 'Write' },
          { value: 'preview', label: 'Preview' },
        ]}
      />
      {view === 'write' ? (
        <TemplateField
          path={path}
          label="Text"
          description="Markdown"
          placeholder="What there is to know"
          multiline
          optional
        />
      ) : (
        <FieldFrame label="Text" description="Markdown" issues={issues}>
          <RenderedText path={path} text={typeof value === 'string' ? value : ''} />
        </FieldFrame>
      )}
    </div>
  )
}

/** With the data of the sample, where there is any. */
function RenderedText({ path, text }: { path: string; text: string }) {
  const context = usePreviewContext(path)
  const shown = useMemo(() => preview(text, 'text', context), [text, context])
  return (
    <div className={classes.preview}>
      {text.trim() ? (
        <Markdown text={shown?.kind === 'value' ? String(shown.value) : text} />
      ) : (
        <Text c="dimmed" size="sm">
          There is no text.
        </Text>
      )}
    </div>
  )
}
