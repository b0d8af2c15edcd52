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

const SIGNS_TIME = ['stripe', 'slack', 'standard-webhooks']

/** `path` is the JSON Pointer of the setting: of a webhook, or of a callback. */
export function SenderAuth({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const auth = (value ?? { kind: 'none' }) as { kind: string; scheme?: string; secret?: unknown; anyCase?: unknown }
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
          <SelectField path={`${path}/scheme`} label="Scheme" options={SCHEMES} />
          {Array.isArray(auth.secret) ? (
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
          {SIGNS_TIME.includes(auth.scheme ?? '') && (
            <PlainNumberField path={`${path}/tolerance`} label="Maximum age" placeholder="300 s" suffix="s" />
          )}
        </>
      )}
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
