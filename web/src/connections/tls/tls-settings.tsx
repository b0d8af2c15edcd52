// The TLS settings of a connection: a client certificate as PEM or as a PKCS#12 file, and whom to trust.
import { Button, FileButton, Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

/** The parts of the TLS settings in the draft of a connection. */
export interface TlsParts {
  value: (part: string) => string
  /** Whether a secret is set, and stays. */
  isSet: (part: string) => boolean
  set: (part: string, value: string) => void
  /** Takes away a part and what was typed of it, except for the secrets to keep. */
  clear: (parts: readonly string[], kept: readonly string[]) => void
  errorAt: (part: string) => string | undefined
  /** Returns the field of a secret. */
  secret: (part: string, label: string, description: string, lines: boolean) => ReactNode
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

export function TlsSettings({ parts, readOnly }: { parts: TlsParts; readOnly: boolean }) {
  const { value, isSet, set, errorAt } = parts
  const [form, setForm] = useState<Form>(() =>
    isSet('pkcs12') ? 'pkcs12' : isSet('key') || value('certificate') ? 'pem' : 'none',
  )
  const choose = (chosen: Form) => {
    setForm(chosen)
    // What the other form holds goes with it.
    parts.clear(['certificate', 'key', 'pkcs12', 'passphrase'], SECRETS[chosen])
  }
  const text = (part: string, label: string, description: string) => (
    <Textarea
      label={label}
      description={description}
      placeholder={'-----BEGIN CERTIFICATE-----'}
      value={value(part)}
      onChange={(event) => set(part, event.currentTarget.value)}
      error={errorAt(part)}
      readOnly={readOnly}
      autosize
      minRows={2}
      maxRows={6}
      autoComplete="off"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
    />
  )
  const secret = (part: string, label: string, description: string, lines = false) =>
    parts.secret(part, label, description, lines)
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
        value={value('serverName')}
        onChange={(event) => set('serverName', event.currentTarget.value)}
        error={errorAt('serverName')}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
      />
      <Input.Wrapper label="Oldest TLS" labelElement="div" error={errorAt('minVersion')}>
        <div>
          <SegmentedControl
            aria-label="Oldest TLS"
            size="sm"
            data={[
              { value: '', label: 'Standard' },
              { value: 'TLSv1.2', label: 'TLS 1.2' },
              { value: 'TLSv1.3', label: 'TLS 1.3' },
            ]}
            value={value('minVersion')}
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
