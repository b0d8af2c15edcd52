// The fields of a connection, by its kind.
import { Anchor, Collapse, SegmentedControl, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isTlsPart, tlsField, tlsPart } from '../../../src/base/tls-parts.ts'
import type { Issue } from '../api/api-types.ts'
import { FlowLimitChoice } from '../ui/choices/flow-limit-choice.tsx'
import type { ConnectionDraft } from './connection-draft.ts'
import { type FieldInfo, fieldsAsked } from './connection-kinds.ts'
import { CustomFields } from './custom-fields.tsx'
import { SecretField } from './secret-field.tsx'
import { type TlsParts, TlsSettings } from './tls/tls-settings.tsx'

interface ConnectionFieldsProps {
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
  /** What the service found wrong, shown where it is. */
  issues: Issue[]
  readOnly?: boolean
}

export function ConnectionFields({ draft, onChange, issues, readOnly = false }: ConnectionFieldsProps) {
  const [more, setMore] = useState(false)
  const [withTls, setWithTls] = useState(draft.hasTls)
  const errorAt = (path: string) =>
    issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}/`))?.message
  const field = (info: FieldInfo) => (
    <Field
      key={info.name}
      info={info}
      draft={draft}
      onChange={onChange}
      error={withLabel(errorAt(`/fields/${info.name}`), info)}
      readOnly={readOnly}
    />
  )
  const parts = tlsParts(draft, onChange, errorAt, (name, label, description, lines) => (
    <SecretField
      name={name}
      label={label}
      description={description}
      required={false}
      lines={lines}
      draft={draft}
      onChange={onChange}
      error={withLabel(errorAt(tlsPath(name)), { name, label: 'This' })}
      readOnly={readOnly}
    />
  ))
  const asked = fieldsAsked(draft.kind, draft.values)
  const advanced = asked.filter((info) => info.advanced)
  return (
    <Stack gap="md">
      {asked.filter((info) => !info.advanced).map(field)}
      {draft.kind === 'custom' && (
        <CustomFields draft={draft} onChange={onChange} errorAt={errorAt} readOnly={readOnly} />
      )}
      {advanced.length > 0 && (
        <div>
          <Anchor component="button" type="button" size="sm" aria-expanded={more} onClick={() => setMore(!more)}>
            {more ? 'Less' : 'More settings'}
          </Anchor>
          <Collapse expanded={more}>
            <Stack gap="md" mt="sm">
              {advanced.map(field)}
            </Stack>
          </Collapse>
        </div>
      )}
      {draft.kind === 'tls' ? (
        <TlsSettings parts={parts} readOnly={readOnly} />
      ) : (
        <div>
          <Anchor
            component="button"
            type="button"
            size="sm"
            aria-expanded={withTls}
            onClick={() => setWithTls(!withTls)}
          >
            {withTls ? 'Hide TLS settings' : 'TLS settings'}
          </Anchor>
          {withTls && (
            <div style={{ marginTop: 12 }}>
              <TlsSettings parts={parts} readOnly={readOnly} />
            </div>
          )}
        </div>
      )}
      <TagsInput
        label="Hosts"
        description="The hosts that its secrets may be sent to: api.example.com, *.example.com, host:port. If empty: any host."
        placeholder={draft.hosts.length === 0 ? 'Any host' : undefined}
        value={draft.hosts}
        onChange={(hosts) => onChange({ ...draft, hosts })}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        readOnly={readOnly}
        error={errorAt('/hosts')}
      />
      <FlowLimitChoice
        flows={draft.flows}
        tags={draft.tags}
        onFlows={(flows) => onChange({ ...draft, flows })}
        onTags={(tags) => onChange({ ...draft, tags })}
        flowsError={errorAt('/flows')}
        readOnly={readOnly}
      />
    </Stack>
  )
}

/** The service names a field as the API does; people see its label. */
const withLabel = (
  message: string | undefined,
  { name, label }: Pick<FieldInfo, 'name' | 'label'>,
): string | undefined => (message?.startsWith(`${name} `) ? `${label}${message.slice(name.length)}` : message)

/** The place of a field that may be a part of the field `tls`. */
const tlsPath = (name: string): string => (isTlsPart(name) ? `/fields/tls/${tlsPart(name)}` : `/fields/${name}`)

function tlsParts(
  draft: ConnectionDraft,
  onChange: (draft: ConnectionDraft) => void,
  errorAt: (path: string) => string | undefined,
  secret: TlsParts['secret'],
): TlsParts {
  const nameOf = (part: string) => (draft.kind === 'tls' ? part : tlsField(part))
  const { values, kept, removed } = draft
  return {
    value: (part) => values[nameOf(part)] ?? '',
    isSet: (part) => kept.includes(nameOf(part)) && !removed.includes(nameOf(part)),
    set: (part, value) => onChange({ ...draft, values: { ...values, [nameOf(part)]: value } }),
    clear(parts, secrets) {
      const [gone, stays] = [parts.map(nameOf), secrets.map(nameOf)]
      onChange({
        ...draft,
        values: Object.fromEntries(Object.entries(values).filter(([name]) => !gone.includes(name))),
        removed: [
          ...removed.filter((name) => !gone.includes(name)),
          ...kept.filter((name) => gone.includes(name) && !stays.includes(name)),
        ],
      })
    },
    errorAt: (part) => withLabel(errorAt(tlsPath(nameOf(part))), { name: nameOf(part), label: 'This' }),
    secret: (part, ...shown) => secret(nameOf(part), ...shown),
  }
}

const CODE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

/** More of them do not fit side by side. */
const MOST_SEGMENTS = 4

interface FieldProps {
  info: FieldInfo
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
  error: string | undefined
  readOnly: boolean
}

function Field({ info, draft, onChange, error, readOnly }: FieldProps) {
  const { name, label, description, placeholder, required, choices, secret, lines } = info
  const value = draft.values[name] ?? ''
  const set = (next: string) => onChange({ ...draft, values: { ...draft.values, [name]: next } })
  if (secret)
    return (
      <SecretField
        name={name}
        label={label}
        description={description}
        required={required ?? false}
        lines={lines ?? false}
        draft={draft}
        onChange={onChange}
        error={error}
        readOnly={readOnly}
      />
    )
  if (choices && choices.length > MOST_SEGMENTS)
    return (
      <Select
        label={label}
        description={description}
        data={choices}
        value={value || choices[0]!.value}
        onChange={(chosen) => chosen && set(chosen)}
        error={error}
        readOnly={readOnly}
        comboboxProps={{ withinPortal: true }}
      />
    )
  if (choices)
    return (
      <div>
        <Text size="sm" fw={500} mb={4} id={`field-${name}`}>
          {label}
        </Text>
        <SegmentedControl
          aria-labelledby={`field-${name}`}
          size="sm"
          data={choices}
          value={value || choices[0]!.value}
          onChange={set}
          readOnly={readOnly}
        />
        {description && (
          <Text size="xs" c="dimmed" mt={4}>
            {description}
          </Text>
        )}
      </div>
    )
  if (lines)
    return (
      <Textarea
        label={label}
        description={description}
        placeholder={placeholder}
        required={required ?? false}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
        error={error}
        readOnly={readOnly}
        autosize
        minRows={4}
        maxRows={16}
        styles={CODE}
        spellCheck={false}
      />
    )
  return (
    <TextInput
      label={label}
      description={description}
      placeholder={placeholder}
      required={required ?? false}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      error={error}
      readOnly={readOnly}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
