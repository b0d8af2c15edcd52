// Who may send: to a webhook, or to a callback.
import { Select } from '@mantine/core'
import { PlainNumberField, SelectField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { TemplateField, ValueField } from '../../fields/template-field.tsx'

const FIRST: Record<string, unknown> = {
  header: { kind: 'header', name: 'X-Webhook-Token', value: '' },
  query: { kind: 'query', name: 'token', value: '' },
  signature: { kind: 'signature', scheme: 'hmac-sha256', secret: '' },
}

const KINDS = [
  { value: 'none', label: 'Anyone who knows the URL' },
  { value: 'header', label: 'A header with a secret' },
  { value: 'query', label: 'A query parameter with a secret' },
  { value: 'signature', label: 'A signature over the request' },
]

const SCHEMES = [
  { value: 'hmac-sha256', label: 'HMAC-SHA256, in a header' },
  { value: 'github', label: 'GitHub' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'slack', label: 'Slack' },
  { value: 'shopify', label: 'Shopify' },
  { value: 'standard-webhooks', label: 'Standard Webhooks' },
]

/** Its parts are given one by one, for a sender that no other scheme fits. */
const CUSTOM = { value: 'custom', label: 'Another, described here' }

const SIGNS_TIME = ['stripe', 'slack', 'standard-webhooks']

/** What came in is not known where a callback is authenticated. */
const TRIGGER_AUTH = '/trigger/auth'

interface SenderAuthSettings {
  kind: string
  scheme?: string
  secret?: unknown
  anyCase?: unknown
  algorithm?: string
  timestamp?: unknown
}

const KEY_PAIRS = ['ed25519', 'ecdsa-p256', 'rsa-sha256']

const signsWithKeyPair = ({ scheme, algorithm }: SenderAuthSettings): boolean =>
  scheme === CUSTOM.value && KEY_PAIRS.includes(algorithm ?? '')

const CUSTOM_START = {
  algorithm: 'sha256',
  encoding: 'hex',
  header: 'X-Signature',
  signed: '{{ webhook.rawBody }}',
}

/** Another scheme has other settings; the secret stays. */
const withScheme = ({ secret = '' }: SenderAuthSettings, scheme: string) => ({
  kind: 'signature',
  scheme,
  secret,
  ...(scheme === CUSTOM.value && CUSTOM_START),
})

/** `path` is the JSON Pointer of the setting: of a webhook, or of a callback. */
export function SenderAuth({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const auth = (value ?? { kind: 'none' }) as SenderAuthSettings
  return (
    <>
      <FieldFrame label="Allow" issues={issues}>
        <Select
          aria-label="Who may call it"
          data={KINDS}
          value={auth.kind}
          disabled={readOnly}
          onChange={(chosen) => chosen && set(chosen === 'none' ? undefined : FIRST[chosen])}
          comboboxProps={{ withinPortal: true }}
        />
      </FieldFrame>
      {(auth.kind === 'header' || auth.kind === 'query') && (
        <>
          <TemplateField
            path={`${path}/name`}
            label={auth.kind === 'header' ? 'Header' : 'Parameter'}
            description={
              auth.kind === 'header' && !auth.anyCase ? 'compared letter by letter, capitals too' : undefined
            }
          />
          <SecretField path={`${path}/value`} label="Value" fits="value" />
          {auth.kind === 'header' && (
            <SwitchField
              path={`${path}/anyCase`}
              label="Name in any letter case"
              description="For senders behind proxies or HTTP/2, which change capitals."
              standard={false}
            />
          )}
        </>
      )}
      {auth.kind === 'signature' && (
        <>
          <FieldFrame label="Scheme">
            <Select
              aria-label="Scheme"
              data={path === TRIGGER_AUTH ? [...SCHEMES, CUSTOM] : SCHEMES}
              value={auth.scheme ?? null}
              disabled={readOnly}
              onChange={(scheme) => scheme && set(withScheme(auth, scheme))}
              comboboxProps={{ withinPortal: true }}
            />
          </FieldFrame>
          {auth.scheme === CUSTOM.value && <CustomSignature path={path} auth={auth} />}
          {signsWithKeyPair(auth) ? null : Array.isArray(auth.secret) ? (
            <ValueField
              path={`${path}/secret`}
              label="Secrets"
              description="any of these is accepted, so that you can replace one after the other"
              multiline
            />
          ) : (
            <SecretField path={`${path}/secret`} label="Signing secret" />
          )}
          {auth.scheme === 'hmac-sha256' && (
            <TemplateField path={`${path}/header`} label="Header" placeholder="X-Signature" optional />
          )}
          {(SIGNS_TIME.includes(auth.scheme ?? '') || auth.timestamp !== undefined) && (
            <PlainNumberField path={`${path}/tolerance`} label="Maximum age" placeholder="300 s" suffix="s" />
          )}
        </>
      )}
    </>
  )
}

const ALGORITHMS = [
  { value: 'sha256', label: 'HMAC-SHA-256' },
  { value: 'sha1', label: 'HMAC-SHA-1' },
  { value: 'sha512', label: 'HMAC-SHA-512' },
  { value: 'ed25519', label: 'Ed25519' },
  { value: 'ecdsa-p256', label: 'ECDSA P-256' },
  { value: 'rsa-sha256', label: 'RSA with SHA-256' },
]

function CustomSignature({ path, auth }: { path: string; auth: SenderAuthSettings }) {
  const { set, readOnly } = useField(path)
  const choose = (algorithm: string | null) => {
    if (algorithm === null) return
    // An HMAC has a secret, a key pair a public key; the one that is not needed would be refused.
    const { secret, publicKey, ...rest } = auth as SenderAuthSettings & { publicKey?: unknown }
    set(
      KEY_PAIRS.includes(algorithm)
        ? { ...rest, algorithm, publicKey: publicKey ?? '' }
        : { ...rest, algorithm, secret: secret ?? '' },
    )
  }
  return (
    <>
      <FieldFrame label="Algorithm">
        <Select
          aria-label="Algorithm"
          data={ALGORITHMS}
          value={auth.algorithm ?? null}
          disabled={readOnly}
          onChange={choose}
          comboboxProps={{ withinPortal: true }}
        />
      </FieldFrame>
      {signsWithKeyPair(auth) && (
        <TemplateField path={`${path}/publicKey`} label="Public key" description="PEM, base64 or hex" multiline quiet />
      )}
      <TemplateField path={`${path}/header`} label="Header with the signature" />
      <SelectField
        path={`${path}/encoding`}
        label="Written as"
        options={[
          { value: 'hex', label: 'Hex' },
          { value: 'base64', label: 'Base64' },
        ]}
      />
      <TemplateField path={`${path}/prefix`} label="Before the signature" placeholder="sha256=" optional quiet />
      <TemplateField
        path={`${path}/signed`}
        label="What is signed"
        description="the received bytes where webhook.rawBody stands"
      />
      <TemplateField
        path={`${path}/timestamp`}
        label="Signed time"
        placeholder="{{ webhook.headers['x-timestamp'] }}"
        optional
      />
    </>
  )
}

/** In a few words, for a section that is closed. */
export const AUTH_WORDS: Record<string, string> = {
  none: 'anybody who knows the URL',
  header: 'who sends the right header',
  query: 'who sends the right parameter',
  signature: 'who signs the request',
}
