// What each kind of connection asks for. The service checks it; this decides how it is asked.
import type { ConnectionKind } from '../api/api-types.ts'

export interface FieldInfo {
  name: string
  label: string
  description?: string
  placeholder?: string
  secret?: true
  required?: true
  /** One of these, the first by default. */
  choices?: { value: string; label: string }[]
  /** It has several lines. */
  lines?: true
  /** Asked for only under this grant of OAuth. */
  onlyFor?: 'authorization_code' | 'client_credentials'
  /** Found in the second part of the form. */
  advanced?: true
}

export interface KindInfo {
  kind: ConnectionKind
  label: string
  /** When to choose it, in one line. */
  purpose: string
  fields: FieldInfo[]
  /** How a step uses it. */
  use: (name: string, field: string) => string
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const asAWhole = (name: string): string => `auth:\n  kind: connection\n  connection: ${name}`

export const CONNECTION_KINDS: KindInfo[] = [
  {
    kind: 'bearer',
    label: 'Bearer token',
    purpose: 'The API expects a token in Authorization: Bearer.',
    fields: [{ name: 'token', label: 'Token', secret: true, required: true }],
    use: (name) => `auth:\n  kind: bearer\n  token: "{{ connections.${name}.token }}"`,
  },
  {
    kind: 'apiKey',
    label: 'API key',
    purpose: 'The API expects a key in a header or in the query.',
    fields: [
      {
        name: 'in',
        label: 'Sent in',
        choices: [
          { value: 'header', label: 'Header' },
          { value: 'query', label: 'Query' },
        ],
      },
      { name: 'name', label: 'Name', placeholder: 'X-API-Key', required: true },
      { name: 'value', label: 'Key', secret: true, required: true },
    ],
    use: (name) =>
      `auth:\n  kind: apiKey\n  name: "{{ connections.${name}.name }}"\n  value: "{{ connections.${name}.value }}"`,
  },
  {
    kind: 'basic',
    label: 'Basic',
    purpose: 'The API expects a user name and a password.',
    fields: [
      { name: 'username', label: 'User name', required: true },
      { name: 'password', label: 'Password', secret: true, description: 'Leave it empty if the API needs none.' },
    ],
    use: (name) =>
      `auth:\n  kind: basic\n  username: "{{ connections.${name}.username }}"\n  password: "{{ connections.${name}.password }}"`,
  },
  {
    kind: 'digest',
    label: 'Digest',
    purpose: 'The server asks for a user name and a password by Digest, which sends no password.',
    fields: [
      { name: 'username', label: 'User name', required: true },
      { name: 'password', label: 'Password', secret: true, required: true },
    ],
    use: asAWhole,
  },
  {
    kind: 'oauth2',
    label: 'OAuth 2.0',
    purpose: 'The API issues tokens that expire; Millrace fetches and refreshes them.',
    fields: [
      {
        name: 'grant',
        label: 'Grant',
        description: 'With an authorization code, a person signs in at the provider. Client credentials need nobody.',
        choices: [
          { value: 'authorization_code', label: 'Authorization code' },
          { value: 'client_credentials', label: 'Client credentials' },
        ],
      },
      {
        name: 'authorizationUrl',
        label: 'Authorization URL',
        placeholder: 'https://auth.example.com/authorize',
        required: true,
        onlyFor: 'authorization_code',
      },
      { name: 'tokenUrl', label: 'Token URL', placeholder: 'https://auth.example.com/token', required: true },
      { name: 'clientId', label: 'Client ID', required: true },
      {
        name: 'clientSecret',
        label: 'Client secret',
        secret: true,
        description: 'Public clients have none.',
      },
      { name: 'scopes', label: 'Scopes', description: 'Separated by spaces.', placeholder: 'read write' },
      {
        name: 'clientAuth',
        label: 'Client ID and secret are sent',
        choices: [
          { value: 'basic', label: 'As Basic header' },
          { value: 'body', label: 'In the body' },
        ],
        advanced: true,
      },
      { name: 'audience', label: 'Audience', description: 'If the provider asks for one.', advanced: true },
    ],
    use: (name) => `auth:\n  kind: oauth2\n  connection: ${name}`,
  },
  {
    kind: 'jwt',
    label: 'JWT',
    purpose: 'A service account: Millrace signs claims with a private key, and sends or exchanges them.',
    fields: [
      {
        name: 'privateKey',
        label: 'Private key',
        description: 'In PEM, or where it is kept: file:name, vault:path#field',
        secret: true,
        required: true,
        lines: true,
      },
      { name: 'algorithm', label: 'Algorithm', choices: ALGORITHMS.map((value) => ({ value, label: value })) },
      { name: 'keyId', label: 'Key ID', description: 'Sent as kid, if the service asks for it.' },
      {
        name: 'claims',
        label: 'Claims',
        description: 'A JSON object. Millrace adds iat, exp and jti.',
        placeholder: '{ "iss": "robot@project.example", "scope": "…" }',
        required: true,
        lines: true,
      },
      {
        name: 'tokenUrl',
        label: 'Token URL',
        description: 'Where the signed claims are exchanged for an access token. If empty, they are sent as the token.',
        placeholder: 'https://oauth2.googleapis.com/token',
      },
    ],
    use: asAWhole,
  },
  {
    kind: 'aws',
    label: 'AWS',
    purpose: 'A service of AWS, or one that is compatible, which expects requests with Signature Version 4.',
    fields: [
      { name: 'accessKeyId', label: 'Access key ID', placeholder: 'AKIA…', required: true },
      { name: 'secretAccessKey', label: 'Secret access key', secret: true, required: true },
      { name: 'region', label: 'Region', placeholder: 'eu-central-1', required: true },
      {
        name: 'service',
        label: 'Service',
        description: 'As in its host name: s3, sqs, execute-api, …',
        required: true,
      },
      {
        name: 'sessionToken',
        label: 'Session token',
        description: 'Of temporary credentials.',
        secret: true,
        advanced: true,
      },
    ],
    use: asAWhole,
  },
  {
    kind: 'tls',
    label: 'Client certificate',
    purpose: 'The API expects a certificate of yours, or has one that an authority of your own issued.',
    fields: [],
    use: (name) => `tls:\n  connection: ${name}`,
  },
  {
    kind: 'custom',
    label: 'Custom',
    purpose: 'Secrets with names of your choice, such as a signing key.',
    fields: [],
    use: (name, field) =>
      `headers:\n  - name: X-Signature\n    value: "{{ hmacSha256(webhook.rawBody, connections.${name}.${field}) }}"`,
  },
]

export const kindInfo = (kind: ConnectionKind): KindInfo => CONNECTION_KINDS.find((info) => info.kind === kind)!

/** The kinds that a request sends as a whole: all whose fields have one known place. */
export const SENDABLE_KINDS = CONNECTION_KINDS.map(({ kind }) => kind).filter((kind) => kind !== 'custom')

/** The fields that are asked for, by what has been chosen. */
export function fieldsAsked(kind: ConnectionKind, values: Record<string, string>): FieldInfo[] {
  const grant = values['grant'] || 'authorization_code'
  return kindInfo(kind).fields.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === grant)
}
