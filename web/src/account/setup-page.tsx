// The first owner: with the one-time link from the log.
import { Anchor, Button, Code, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api-client.ts'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { AccountFrame } from './account-frame.tsx'
import { pastedCode, useLinkCode } from './link-code.ts'
import { NewPassword } from './new-password.tsx'
import { passwordStrength } from './password-strength.ts'
import { useEnter } from './use-enter.ts'

export function SetupPage() {
  const [code, setCode] = useLinkCode()
  const state = useQuery(queries.authState)
  if (state.data && !state.data.setup)
    return (
      <AccountFrame title="Millrace is set up" lead="It already has an owner, so the set-up link no longer works.">
        <Anchor component={Link} to="/sign-in" size="sm">
          Go to sign-in
        </Anchor>
      </AccountFrame>
    )
  return code ? <OwnerForm code={code} onOtherCode={() => setCode('')} /> : <CodeForm onCode={setCode} />
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onCode(pastedCode(text))
  }
  return (
    <AccountFrame
      title="Set up Millrace"
      lead={
        <>
          The set-up link is in the log of <Code>npm start</Code>, in the line that ends in <Code>/setup#code=…</Code>.
          Open it, or paste it here.
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Set-up link or code"
            required
            autoFocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" disabled={pastedCode(text) === ''}>
            Continue
          </Button>
        </Stack>
      </form>
    </AccountFrame>
  )
}

function OwnerForm({ code, onOtherCode }: { code: string; onOtherCode: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter()
  const setUp = useMutation({
    mutationFn: () => api.post('/api/auth/setup', { code, email, name, password }),
    meta: { asksForCredentials: true },
    onSuccess: () => enter(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setUp.mutate()
  }
  return (
    <AccountFrame title="Set up Millrace" lead="You become the owner. You can invite others later.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label="Name"
            description="Others see it beside the versions that you publish."
            autoComplete="name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NewPassword value={password} onChange={setPassword} />
          {setUp.isError && <ErrorNote title="Millrace could not be set up" error={setUp.error} />}
          <Button type="submit" loading={setUp.isPending} disabled={passwordStrength(password).level === 0}>
            Set up
          </Button>
          {setUp.isError && (
            <Anchor component="button" type="button" size="sm" onClick={onOtherCode}>
              Use another set-up link
            </Anchor>
          )}
        </Stack>
      </form>
    </AccountFrame>
  )
}
