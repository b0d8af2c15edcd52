// Lists the kinds of connections and their fields (docs/connections.md#kinds): what they may hold, and which are secret.
import type { IssueCode } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { isOutsideReference, parseOutsideReference } from '../../base/outside-reference.ts'
import { JWT_ALGORITHMS, readPrivateKey } from '../../base/signing/private-key.ts'
import { isTlsPart, tlsPart } from '../../base/tls-parts.ts'
import { checkHeaderName, parseOutboundUrl } from '../../engine/outbound-rules.ts'
import { OutboundError } from '../../engine/ports/http-client.ts'
import { type Issue, nearest, pointer } from '../../flow/issue.ts'
import { jsonProblem, measureJson, SENDER_LIMITS } from '../../flow/json/json-limits.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { ConnectionKind } from '../ports/connections.ts'
import type { Check, Rule } from './connection-rule.ts'
import { TLS_FIELD_RULES, TLS_RULES } from './tls-fields.ts'

type Fields = Record<string, unknown>

const MAX_FIELD_LENGTH = 65_536
const MAX_CUSTOM_FIELDS = 100
const CUSTOM_NAME = /^[A-Za-z_]\w{0,63}$/

const text: Check = (value) => {
  if (typeof value !== 'string') return 'must be text'
  if (value.length > MAX_FIELD_LENGTH) return `is longer than ${MAX_FIELD_LENGTH} characters`
  return value === '' ? 'is empty' : null
}
const maybeEmpty: Check = (value, fields) => (value === '' ? null : text(value, fields))
const oneOf =
  (...allowed: string[]): Check =>
  (value) =>
    allowed.includes(value as string) ? null : `must be one of ${allowed.join(', ')}`
const url: Check = (value, fields) => text(value, fields) ?? fault(() => parseOutboundUrl(value as string))
const userName: Check = (value, fields) =>
  text(value, fields) ?? ((value as string).includes(':') ? 'contains a colon, which ends a user name' : null)
const scopes: Check = (value, fields) =>
  Array.isArray(value)
    ? (value.map((one) => text(one, fields)).find(Boolean) ?? null)
    : value === ''
      ? null
      : text(value, fields)
const keyName: Check = (value, fields) =>
  text(value, fields) ?? (fields['in'] === 'query' ? null : fault(() => checkHeaderName(value as string)))

const privateKey: Check = (value, fields) => {
  const problem = text(value, fields)
  // An algorithm that does not exist has an issue of its own.
  if (problem || !JWT_ALGORITHMS.includes(fields['algorithm'] as string)) return problem
  const key = readPrivateKey(value as string, fields['algorithm'] as string)
  return typeof key === 'string' ? key : null
}
const MAX_CLAIMS_LENGTH = 16_384
const OWN_CLAIMS = ['iat', 'exp', 'jti']
const claims: Check = (value) => {
  if (!isObject(value)) return 'must be an object, such as {"iss": "me", "aud": "https://api.example.com"}'
  const own = OWN_CLAIMS.find((name) => Object.hasOwn(value, name))
  if (own !== undefined) return `must leave out ${own}, which Millrace writes`
  return JSON.stringify(value).length > MAX_CLAIMS_LENGTH ? `are longer than ${MAX_CLAIMS_LENGTH} characters` : null
}
/** Part of a header, and of what is signed. */
const plainWord: Check = (value, fields) =>
  text(value, fields) ??
  (/^[\w.+=@-]+$/.test(value as string) ? null : 'holds other characters than letters, digits and _.+=@-')

const KINDS: Record<Exclude<ConnectionKind, 'custom'>, Record<string, Rule>> = {
  basic: {
    username: { check: userName, required: true },
    // Some APIs take their key as the user name, without a password.
    password: { check: maybeEmpty, secret: true, default: '' },
  },
  bearer: { token: { check: text, secret: true, required: true } },
  apiKey: {
    name: { check: keyName, required: true },
    value: { check: text, secret: true, required: true },
    in: { check: oneOf('header', 'query'), default: 'header' },
  },
  digest: {
    username: { check: userName, required: true },
    password: { check: text, secret: true, required: true },
  },
  oauth2: {
    grant: { check: oneOf('authorization_code', 'client_credentials'), default: 'authorization_code' },
    authorizationUrl: { check: url, required: (fields) => fields['grant'] === 'authorization_code' },
    tokenUrl: { check: url, required: true },
    clientId: { check: text, required: true },
    // Public clients have no secret: PKCE protects them.
    clientSecret: { check: text, secret: true, required: (fields) => fields['grant'] === 'client_credentials' },
    scopes: { check: scopes },
    clientAuth: { check: oneOf('basic', 'body'), default: 'basic' },
    audience: { check: text },
  },
  jwt: {
    privateKey: { check: privateKey, secret: true, required: true },
    algorithm: { check: oneOf(...JWT_ALGORITHMS), default: 'RS256' },
    keyId: { check: text },
    claims: { check: claims, read: fromJson, required: true },
    tokenUrl: { check: url },
  },
  aws: {
    accessKeyId: { check: plainWord, required: true },
    secretAccessKey: { check: text, secret: true, required: true },
    sessionToken: { check: text, secret: true },
    region: { check: plainWord, required: true },
    service: { check: plainWord, required: true },
  },
  tls: TLS_RULES,
}
/** The URLs that send and receive secrets and grants. */
export const ENDPOINT_FIELDS: readonly string[] = ['tokenUrl', 'authorizationUrl']
const CUSTOM: Rule = { check: text, secret: true }

export const CONNECTION_KINDS: readonly ConnectionKind[] = [...(Object.keys(KINDS) as ConnectionKind[]), 'custom']

export interface SortedFields {
  /** The fields that every reader of the connection may see. */
  open: Fields
  secrets: Record<string, string>
  /** Where those are that are kept elsewhere. */
  outside: Record<string, string>
}

/** Fills in defaults and separates secret from readable fields. Each fault goes to `issues`. */
export function sortFields(kind: ConnectionKind, given: Fields, issues: Issue[]): SortedFields {
  const report = (name: string, code: IssueCode, message: string) =>
    issues.push({ path: fieldPath(name), code, message: `${name} ${message}` })
  const own = kind === 'custom' ? customRules(given, report) : KINDS[kind]
  const rules: Record<string, Rule> = kind === 'tls' ? own : { ...own, ...TLS_FIELD_RULES }
  const fields: Fields = Object.create(null)
  for (const [name, rule] of Object.entries(rules)) {
    const value = given[name] ?? rule.default
    if (value !== undefined) fields[name] = rule.read ? rule.read(value) : value
  }
  const sorted: SortedFields = { open: Object.create(null), secrets: Object.create(null), outside: Object.create(null) }
  for (const [name, rule] of Object.entries(rules)) {
    const { required } = rule
    const value = fields[name]
    if (rule.secret && isOutsideReference(value)) {
      const fault = parseOutsideReference(value)
      if (typeof fault === 'string') report(name, 'invalid_format', fault)
      else sorted.outside[name] = value
      continue
    }
    const problem = value === undefined ? null : rule.check(value, fields)
    if (problem) report(name, 'invalid_format', problem)
    else if (value === undefined && (typeof required === 'function' ? required(fields) : required))
      report(name, 'missing', 'is missing')
    else if (value !== undefined && rule.secret) sorted.secrets[name] = value as string
    else if (value !== undefined) sorted.open[name] = value
  }
  for (const name of Object.keys(given))
    if (!Object.hasOwn(rules, name))
      report(name, 'unknown_key', `is not a field of the kind ${kind}${meant(name, rules)}`)
  return sorted
}

/** The parts of the field `tls` are in it for whoever writes it. */
export const fieldPath = (name: string): string =>
  isTlsPart(name) ? pointer('/fields/tls', tlsPart(name)) : pointer('/fields', name)

/** Returns a rule for each given field. Reports names that a template cannot write. */
function customRules(given: Fields, report: (name: string, code: IssueCode, message: string) => void) {
  const names = Object.keys(given).filter((name) => !isTlsPart(name))
  // None: a place for what a sender will hand over.
  if (names.length > MAX_CUSTOM_FIELDS)
    report('fields', 'invalid_format', `must be at most ${MAX_CUSTOM_FIELDS}; there are ${names.length}`)
  const rules: Record<string, Rule> = Object.create(null)
  for (const name of names) {
    rules[name] = CUSTOM
    if (!CUSTOM_NAME.test(name))
      report(name, 'invalid_format', 'is no field name: letters, digits and _ only, so that a template can name it')
  }
  return rules
}

/** A text that is no JSON, or too deep, stays as it is, for its check. */
function fromJson(given: unknown): unknown {
  if (typeof given !== 'string' || given.length > MAX_FIELD_LENGTH) return given
  if (jsonProblem(measureJson(given, SENDER_LIMITS), SENDER_LIMITS)) return given
  try {
    return parseJson(given)
  } catch {
    return given
  }
}

function fault(test: () => void): string | null {
  try {
    test()
    return null
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return `cannot be used: ${error.message}. ${error.hint}`
  }
}

function meant(name: string, rules: Record<string, Rule>): string {
  const near = nearest(name, Object.keys(rules))
  return `${near ? ` (did you mean "${near}"?)` : ''}; there are ${Object.keys(rules).join(', ')}`
}
