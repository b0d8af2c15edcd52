import { SegmentedControl, Text } from '@mantine/core'
import { SegmentField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { TemplateField, ValueField } from '../../fields/template-field.tsx'
import classes from '../panel/panel.module.css'

const FIRST: Record<string, unknown> = {
  json: { kind: 'json', value: {} },
  form: { kind: 'form', fields: [{ name: '', value: '' }] },
  xml: { kind: 'xml', value: { root: '' } },
  text: { kind: 'text', value: '' },
  file: { kind: 'file', value: '' },
}

/** `path`: of the step. */
export function HttpBody({ path: step }: { path: string }) {
  const path = `${step}/body`
  const { value, set, readOnly, issues } = useField(path)
  const { value: compress } = useField(`${step}/compress`)
  const kind = (value as { kind?: string } | undefined)?.kind ?? 'none'
  const isMultipart = (value as { multipart?: boolean } | undefined)?.multipart === true
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
          { value: 'xml', label: 'XML' },
          { value: 'text', label: 'Text' },
          { value: 'file', label: 'File' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <IssueNotes issues={issues} />
      {kind === 'json' && <ValueField bare path={`${path}/value`} label="JSON body" multiline required />}
      {kind === 'form' && (
        <>
          <NameValueList path={`${path}/fields`} noun="field" optional={false} withFiles={isMultipart} />
          <SwitchField path={`${path}/multipart`} label="As multipart/form-data" standard={false} />
        </>
      )}
      {kind === 'xml' && (
        <>
          <ValueField bare path={`${path}/value`} label="XML body, as data" multiline required />
          <Text size="xs" c="dimmed">
            One key, the root element. <code>@id</code> is an attribute, <code>#text</code> the text beside attributes,
            a list repeats its element. Everything is escaped.
          </Text>
          <TemplateField path={`${path}/contentType`} label="Content type" placeholder="application/xml" optional />
        </>
      )}
      {kind === 'text' && (
        <>
          <TemplateField bare path={`${path}/value`} label="Text body" multiline />
          <TemplateField path={`${path}/contentType`} label="Content type" placeholder="text/plain" optional />
        </>
      )}
      {kind === 'file' && (
        <>
          <TemplateField bare path={`${path}/value`} label="File" placeholder="{{ webhook.files.invoice }}" />
          <TemplateField
            path={`${path}/contentType`}
            label="Content type"
            placeholder="the type of the file"
            optional
          />
        </>
      )}
      {((kind !== 'none' && kind !== 'file') || compress !== undefined) && (
        <SegmentField
          path={`${step}/compress`}
          label="Compression"
          fallback="none"
          options={[
            { value: 'none', label: 'None' },
            { value: 'gzip', label: 'gzip' },
          ]}
        />
      )}
    </div>
  )
}
