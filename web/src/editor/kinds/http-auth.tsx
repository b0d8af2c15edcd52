import { Select, Text } from '@mantine/core'
import type { Connection, ConnectionKind } from '../../api/api-types.ts'
import { SENDABLE_KINDS } from '../../connections/connection-kinds.ts'
import { SegmentField } from '../../fields/choice-fields.tsx'
import { useField, useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { TemplateField } from '../../fields/template-field.tsx'
import classes from '../panel/panel.module.css'
import { ConnectionChoice } from './connection-choice.tsx'
import { MoveSecret } from './move-secret.tsx'

const FIRST: Record<string, unknown> = {
  basic: { kind: 'basic', username: '', password: '' },
  bearer: { kind: 'bearer', token: '' },
  apiKey: { kind: 'apiKey', name: 'X-API-Key', value: '' },
  oauth2: { kind: 'oauth2', connection: '' },
  connection: { kind: 'connection', connection: '' },
}

const KINDS = [
  { value: 'none', label: 'None' },
  { value: 'basic', label: 'User name and password (Basic)' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'apiKey', label: 'API key' },
  { value: 'oauth2', label: 'OAuth 2.0' },
  { value: 'connection', label: 'A connection of any kind' },
]

export function HttpAuth({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const { issues: all } = useFields()
  const auth = (value ?? { kind: 'none' }) as Record<string, unknown>
  const kind = String(auth['kind'])
  return (
    <div className={classes.section}>
      <FieldFrame label="Authentication" issues={issues}>
        <Select
          aria-label="Authentication"
          data={KINDS}
          value={kind}
          disabled={readOnly}
          onChange={(chosen) => chosen && set(chosen === 'none' ? undefined : FIRST[chosen])}
          comboboxProps={{ withinPortal: true }}
        />
      </FieldFrame>
      {kind !== 'none' && (
        <ConnectionChoice
          kinds={isWhole(auth) ? SENDABLE_KINDS : [kind as ConnectionKind]}
          chosen={connectionOf(auth)}
          issues={'connection' in auth ? all.filter((issue) => issue.path === `${path}/connection`) : []}
          onChoose={(connection) => set(isWhole(auth) ? wholly(connection) : authFrom(connection))}
        />
      )}
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
      <MoveSecret path={path} auth={auth} onMoved={(connection) => set(movedTo(connection, auth))} />
      {kind !== 'none' && (
        <Text size="xs" c="dimmed">
          You can change the secret of a connection without publishing again, and limit it to certain hosts.
        </Text>
      )}
    </div>
  )
}

/** Whether the settings name a connection, which decides how its fields are sent. */
const isWhole = (auth: Record<string, unknown>): boolean => auth['kind'] === 'connection'

const wholly = ({ name }: Connection): Record<string, unknown> => ({ kind: 'connection', connection: name })

/** The connection that the settings take their values from. */
function connectionOf(auth: Record<string, unknown>): string | null {
  if ('connection' in auth)
    return typeof auth['connection'] === 'string' && auth['connection'] !== '' ? auth['connection'] : null
  for (const value of Object.values(auth)) {
    const name = typeof value === 'string' ? /\{\{\s*connections\.(\w+)\.\w+\s*\}\}/.exec(value)?.[1] : undefined
    if (name) return name
  }
  return null
}

/** A connection of the kind custom holds the secret alone. */
function movedTo(connection: Connection, auth: Record<string, unknown>): Record<string, unknown> {
  if (connection.kind !== 'custom') return authFrom(connection)
  const [field] = connection.secretFields
  return { ...auth, [field!]: `{{ connections.${connection.name}.${field} }}` }
}

function authFrom({ name, kind, fields }: Connection): Record<string, unknown> {
  const field = (key: string) => `{{ connections.${name}.${key} }}`
  switch (kind) {
    case 'basic':
      return { kind, username: field('username'), password: field('password') }
    case 'bearer':
      return { kind, token: field('token') }
    case 'apiKey':
      return { kind, name: field('name'), value: field('value'), ...(fields['in'] === 'query' ? { in: 'query' } : {}) }
    default:
      return { kind: 'oauth2', connection: name }
  }
}
