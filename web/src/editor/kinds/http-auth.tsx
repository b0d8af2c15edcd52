import { Anchor, Select, Text } from '@mantine/core'
import { SegmentField } from '../../fields/choice-fields.tsx'
import { useField, useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { TemplateField } from '../../fields/template-field.tsx'
import classes from '../panel/panel.module.css'

const FIRST: Record<string, unknown> = {
  basic: { kind: 'basic', username: '', password: '' },
  bearer: { kind: 'bearer', token: '' },
  apiKey: { kind: 'apiKey', name: 'X-API-Key', value: '' },
  oauth2: { kind: 'oauth2', connection: '' },
}

const KINDS = [
  { value: 'none', label: 'None' },
  { value: 'basic', label: 'User name and password (Basic)' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'apiKey', label: 'API key' },
  { value: 'oauth2', label: 'OAuth 2.0 connection' },
]

export function HttpAuth({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const kind = (value as { kind?: string } | undefined)?.kind ?? 'none'
  return (
    <div className={classes.section}>
      <FieldFrame label="How the API knows you" issues={issues}>
        <Select
          aria-label="Authentication"
          data={KINDS}
          value={kind}
          disabled={readOnly}
          onChange={(chosen) => chosen && set(chosen === 'none' ? undefined : FIRST[chosen])}
          comboboxProps={{ withinPortal: true }}
        />
      </FieldFrame>
      {kind === 'basic' && (
        <>
          <TemplateField path={`${path}/username`} label="User name" />
          <SecretField path={`${path}/password`} label="Password" fits="password" />
        </>
      )}
      {kind === 'bearer' && (
        <SecretField path={`${path}/token`} label="Token" description="the word Bearer is added" fits="token" />
      )}
      {kind === 'apiKey' && (
        <>
          <TemplateField
            path={`${path}/name`}
            label="Name"
            description="of the header or parameter"
            placeholder="X-API-Key"
          />
          <SecretField path={`${path}/value`} label="Key" fits="value" />
          <SegmentField
            path={`${path}/in`}
            label="Sent in"
            fallback="header"
            options={[
              { value: 'header', label: 'a header' },
              { value: 'query', label: 'the query' },
            ]}
          />
        </>
      )}
      {kind === 'oauth2' && <OAuthConnection path={`${path}/connection`} />}
      {kind !== 'none' && (
        <Text size="xs" c="dimmed">
          Secrets belong in a <Anchor href="/connections">connection</Anchor> or in env: there they can be changed
          without publishing again.
        </Text>
      )}
    </div>
  )
}

function OAuthConnection({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const { connections } = useFields()
  const names = connections.filter(({ kind }) => kind === 'oauth2').map(({ name }) => name)
  const chosen = typeof value === 'string' && value !== '' ? value : null
  return (
    <FieldFrame label="Connection" issues={issues}>
      <Select
        aria-label="Connection"
        data={chosen && !names.includes(chosen) ? [chosen, ...names] : names}
        value={chosen}
        placeholder={names.length ? 'Choose a connection' : 'There is no OAuth connection yet'}
        disabled={readOnly}
        onChange={(name) => name && set(name)}
        comboboxProps={{ withinPortal: true }}
      />
    </FieldFrame>
  )
}
