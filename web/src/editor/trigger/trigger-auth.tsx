import { Select } from '@mantine/core'
import { PlainNumberField, SelectField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { TemplateField, ValueField } from '../../fields/template-field.tsx'

const PATH = '/trigger/auth'

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

export function TriggerAuth() {
  const { value, set, readOnly, issues } = useField(PATH)
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
            path={`${PATH}/name`}
            label={auth.kind === 'header' ? 'Header' : 'Parameter'}
            description={
              auth.kind === 'header' && !auth.anyCase ? 'compared letter by letter, capitals too' : undefined
            }
          />
          <SecretField path={`${PATH}/value`} label="Value" fits="value" />
          {auth.kind === 'header' && (
            <SwitchField
              path={`${PATH}/anyCase`}
              label="Name in any letter case"
              description="For senders behind proxies or HTTP/2, which change capitals."
              standard={false}
            />
          )}
        </>
      )}
      {auth.kind === 'signature' && (
        <>
          <SelectField path={`${PATH}/scheme`} label="Scheme" options={SCHEMES} />
          {Array.isArray(auth.secret) ? (
            <ValueField
              path={`${PATH}/secret`}
              label="Secrets"
              description="any of these is accepted, so that you can replace one after the other"
              multiline
            />
          ) : (
            <SecretField path={`${PATH}/secret`} label="Signing secret" />
          )}
          {auth.scheme === 'hmac-sha256' && (
            <TemplateField path={`${PATH}/header`} label="Header" placeholder="X-Signature" optional />
          )}
          {SIGNS_TIME.includes(auth.scheme ?? '') && (
            <PlainNumberField path={`${PATH}/tolerance`} label="Maximum age" placeholder="300 s" suffix="s" />
          )}
        </>
      )}
    </>
  )
}
