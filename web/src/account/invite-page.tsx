import { Anchor, Button, Skeleton, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api-client.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { AccountFrame } from './account-frame.tsx'
import { pastedCode, useLinkCode } from './link-code.ts'
import { NewPassword } from './new-password.tsx'
import { passwordStrength } from './password-strength.ts'
import { useEnter } from './use-enter.ts'

interface OpenInvitation {
  role: string
  email: string | null
  expiresAt: string
}

const ROLE_MEANS: Record<string, string> = {
  viewer: 'As a viewer you see flows, runs and deliveries.',
  editor: 'As an editor you build and publish flows, and look after their runs and connections.',
  owner: 'As an owner you do everything, also invite others and make tokens.',
}

export function InvitePage() {
  const [code, setCode] = useLinkCode()
  return code ? <Accept code={code} /> : <CodeForm onCode={setCode} />
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onCode(pastedCode(text))
  }
  return (
    <AccountFrame title="Accept an invitation" lead="Paste the link that you received. It works once.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Invitation link or code"
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

function Accept({ code }: { code: string }) {
  const invitation = useQuery({
    queryKey: ['invitation', code],
    queryFn: () => api.post<OpenInvitation>('/api/auth/invitation', { code }),
    retry: false,
  })
  if (invitation.isPending)
    return (
      <AccountFrame title="Accept the invitation">
        <Skeleton height={200} />
      </AccountFrame>
    )
  if (invitation.isError)
    return (
      <AccountFrame title="This invitation does not work">
        <ErrorNote
          error={invitation.error}
          hint="An invitation works once, and for a limited time. Ask for a new one."
        />
        <Anchor component={Link} to="/sign-in" size="sm">
          Go to sign-in
        </Anchor>
      </AccountFrame>
    )
  return <AcceptForm code={code} invitation={invitation.data} />
}

function AcceptForm({ code, invitation }: { code: string; invitation: OpenInvitation }) {
  const [email, setEmail] = useState(invitation.email ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter()
  const accept = useMutation({
    mutationFn: () => api.post('/api/auth/accept-invitation', { code, email, name, password }),
    meta: { asksForCredentials: true },
    onSuccess: () => enter(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  return (
    <AccountFrame
      title="Accept the invitation"
      lead={ROLE_MEANS[invitation.role] ?? `Your role will be “${invitation.role}”.`}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            readOnly={invitation.email !== null}
            description={invitation.email === null ? undefined : 'The invitation is for this address.'}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label="Name"
            autoComplete="name"
            required
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NewPassword value={password} onChange={setPassword} />
          {accept.isError && <ErrorNote title="The invitation was not accepted" error={accept.error} />}
          <Button type="submit" loading={accept.isPending} disabled={passwordStrength(password).level === 0}>
            Accept and sign in
          </Button>
        </Stack>
      </form>
    </AccountFrame>
  )
}
