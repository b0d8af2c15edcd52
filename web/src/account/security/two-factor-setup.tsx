// Sets up a second factor: the password, the app, a first code, the recovery codes.
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/api-client.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import classes from './security.module.css'

interface Secret {
  secret: string
  url: string
}

interface TwoFactorSetupProps {
  /** The word on the last button. */
  done: string
  onDone: () => void
  onCancel?: () => void
}

export function TwoFactorSetup({ done, onDone, onCancel }: TwoFactorSetupProps) {
  const [secret, setSecret] = useState<Secret | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  if (codes) return <RecoveryCodes codes={codes} done={done} onDone={onDone} />
  return secret ? (
    <Confirm secret={secret} onConfirmed={setCodes} />
  ) : (
    <AskPassword onSecret={setSecret} onCancel={onCancel} />
  )
}

function AskPassword({
  onSecret,
  onCancel,
}: {
  onSecret: (secret: Secret) => void
  onCancel?: (() => void) | undefined
}) {
  const [password, setPassword] = useState('')
  const begin = useMutation({
    mutationFn: () => api.post<Secret>('/api/auth/two-factor/begin', { password }),
    onSuccess: onSecret,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={400}>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {begin.isError && <ErrorNote title="The set-up could not begin" error={begin.error} />}
        <Group gap="xs">
          <Button type="submit" loading={begin.isPending} disabled={password === ''}>
            Continue
          </Button>
          {onCancel && (
            <Button variant="subtle" color="gray" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Confirm({ secret: { secret, url }, onConfirmed }: { secret: Secret; onConfirmed: (codes: string[]) => void }) {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.post<{ recoveryCodes: string[] }>('/api/auth/two-factor/confirm', { code }),
    onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={400}>
        <Text size="sm">Scan this with an authenticator app, then enter the code that it shows.</Text>
        <QrCode text={url} label="QR code for the authenticator app" />
        <Text size="sm" c="dimmed">
          Without a camera, type this key into the app: <code className={classes.secret}>{inGroups(secret)}</code>
        </Text>
        <TextInput
          label="Code of the app"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {confirm.isError && <ErrorNote title="The code was not taken" error={confirm.error} />}
        <Button
          type="submit"
          style={{ alignSelf: 'flex-start' }}
          loading={confirm.isPending}
          disabled={!/^\d{6}$/.test(code.replaceAll(' ', ''))}
        >
          Turn on two-factor sign-in
        </Button>
      </Stack>
    </form>
  )
}

const inGroups = (secret: string): string => secret.match(/.{1,4}/g)!.join(' ')
