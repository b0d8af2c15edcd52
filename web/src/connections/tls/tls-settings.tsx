// The TLS settings of a connection: a client certificate as PEM or as a PKCS#12 file, and whom to trust.
import { Button, FileButton, Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { tlsField } from '../../../../src/base/tls-parts.ts'
import type { ConnectionDraft } from '../connection-draft.ts'
import { SecretField } from '../secret-field.tsx'

interface TlsSettingsProps {
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
  errorAt: (path: string) => string | undefined
  readOnly: boolean
}

type Form = 'none' | 'pem' | 'pkcs12'

const FORMS = [
  { value: 'none', label: 'None' },
  { value: 'pem', label: 'PEM' },
  { value: 'pkcs12', label: 'PKCS#12 file' },
]
const SECRETS: Record<Form, readonly string[]> = {
  none: [],
  pem: ['key', 'passphrase'],
  pkcs12: ['pkcs12', 'passphrase'],
}

export function TlsSettings({ draft, onChange, errorAt, readOnly }: TlsSettingsProps) {
  const prefix = draft.kind === 'tls' ? '' : tlsField('')
  const partOf = (part: string) => draft.values[prefix + part] ?? ''
  const isSet = (part: string) => draft.kept.includes(prefix + part) && !draft.removed.includes(prefix + part)
  const [form, setForm] = useState<Form>(() =>
    isSet('pkcs12') ? 'pkcs12' : isSet('key') || partOf('certificate') ? 'pem' : 'none',
  )
  const set = (part: string, value: string) =>
    onChange({ ...draft, values: { ...draft.values, [prefix + part]: value } })
  const error = (part: string) =>
    errorAt(`/fields/${prefix.replace('.', '/')}${part}`)?.replace(`${prefix}${part} `, 'This ')
  const choose = (chosen: Form) => {
    setForm(chosen)
    // What the other form holds goes with it.
    const gone = ['certificate', 'key', 'pkcs12', 'passphrase'].map((part) => prefix + part)
    const keeps = SECRETS[chosen].map((part) => prefix + part)
    onChange({
      ...draft,
      values: Object.fromEntries(Object.entries(draft.values).filter(([name]) => !gone.includes(name))),
      removed: [
        ...draft.removed.filter((name) => !gone.includes(name)),
        ...draft.kept.filter((name) => gone.includes(name) && !keeps.includes(name)),
      ],
    })
  }
  const text = (part: string, label: string, description: string) => (
    <Textarea
      label={label}
      description={description}
      placeholder={'-----BEGIN CERTIFICATE-----'}
      value={partOf(part)}
      onChange={(event) => set(part, event.currentTarget.value)}
      error={error(part)}
      readOnly={readOnly}
      autosize
      minRows={2}
      maxRows={6}
      autoComplete="off"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
    />
  )
  const secret = (part: string, label: string, description: string, multiline = false) => (
    <SecretField
      name={prefix + part}
      label={label}
      description={description}
      required={false}
      multiline={multiline}
      draft={draft}
      onChange={onChange}
      error={error(part)}
      readOnly={readOnly}
    />
  )
  return (
    <Stack gap="md">
      <div>
        <Text size="sm" fw={500} mb={4} id="client-certificate">
          Client certificate
        </Text>
        <SegmentedControl
          aria-labelledby="client-certificate"
          size="sm"
          data={FORMS}
          value={form}
          onChange={(chosen) => choose(chosen as Form)}
          readOnly={readOnly}
        />
        <Text size="xs" c="dimmed" mt={4}>
          If the API demands one to know who calls.
        </Text>
      </div>
      {form === 'pem' && (
        <>
          {text('certificate', 'Certificate', 'In PEM, yours first, then those between it and its authority.')}
          {secret('key', 'Private key', 'In PEM, or where it is kept: file:name, vault:path#field', true)}
        </>
      )}
      {form === 'pkcs12' && (
        <>
          {secret('pkcs12', 'PKCS#12 file', 'In base64, or where that is kept: file:name, vault:path#field', true)}
          {!readOnly && <ChooseFile onChosen={(base64) => set('pkcs12', base64)} />}
        </>
      )}
      {form !== 'none' && secret('passphrase', 'Passphrase', 'If the key or the file is encrypted.')}
      {text('ca', 'Certificate authorities', 'In PEM: trusted in place of the usual ones.')}
      <TextInput
        label="Server name"
        description="If the certificate of the server has another name than the URL."
        placeholder="api.example.com"
        value={partOf('serverName')}
        onChange={(event) => set('serverName', event.currentTarget.value)}
        error={error('serverName')}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
      />
      <Input.Wrapper label="Oldest TLS" labelElement="div" error={error('minVersion')}>
        <div>
          <SegmentedControl
            aria-label="Oldest TLS"
            size="sm"
            data={[
              { value: '', label: 'Standard' },
              { value: 'TLSv1.2', label: 'TLS 1.2' },
              { value: 'TLSv1.3', label: 'TLS 1.3' },
            ]}
            value={partOf('minVersion')}
            onChange={(version) => set('minVersion', version)}
            readOnly={readOnly}
          />
        </div>
      </Input.Wrapper>
    </Stack>
  )
}

function ChooseFile({ onChosen }: { onChosen: (base64: string) => void }) {
  const read = async (file: File | null) => {
    if (!file) return
    const bytes = new Uint8Array(await file.arrayBuffer())
    onChosen(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')))
  }
  return (
    <div>
      <FileButton onChange={(file) => void read(file)} accept=".p12,.pfx">
        {(props) => (
          <Button {...props} variant="default" size="xs">
            Choose a file
          </Button>
        )}
      </FileButton>
    </div>
  )
}
