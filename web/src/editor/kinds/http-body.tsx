import { SegmentedControl } from '@mantine/core'
import { SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { TemplateField, ValueField } from '../../fields/template-field.tsx'
import classes from '../panel/panel.module.css'

const FIRST: Record<string, unknown> = {
  json: { kind: 'json', value: {} },
  form: { kind: 'form', fields: [{ name: '', value: '' }] },
  text: { kind: 'text', value: '' },
}

export function HttpBody({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const kind = (value as { kind?: string } | undefined)?.kind ?? 'none'
  return (
    <div className={classes.section}>
      <SegmentedControl
        size="xs"
        aria-label="Body"
        value={kind}
        disabled={readOnly}
        onChange={(chosen) => set(chosen === 'none' ? undefined : FIRST[chosen])}
        data={[
          { value: 'none', label: 'None' },
          { value: 'json', label: 'JSON' },
          { value: 'form', label: 'Form' },
          { value: 'text', label: 'Text' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <IssueNotes issues={issues} />
      {kind === 'json' && <ValueField bare path={`${path}/value`} label="JSON body" multiline required />}
      {kind === 'form' && (
        <>
          <NameValueList path={`${path}/fields`} noun="field" optional={false} />
          <SwitchField path={`${path}/multipart`} label="As multipart/form-data" standard={false} />
        </>
      )}
      {kind === 'text' && (
        <>
          <TemplateField bare path={`${path}/value`} label="Text body" multiline />
          <TemplateField path={`${path}/contentType`} label="Content type" placeholder="text/plain" optional />
        </>
      )}
    </div>
  )
}
