// E-mail and password, on the page for it and in the dialog over another one.
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api } from '../api/api-client.ts'
import { ErrorNote } from '../ui/error-note.tsx'

interface SignInFormProps {
  /** Known of who was signed in before. */
  email?: string
  onSignedIn: () => Promise<void>
}

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api.post('/api/auth/sign-in/email', { email, password }),
    meta: { asksForCredentials: true },
    onSuccess: onSignedIn,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  const wrong = signIn.error instanceof ApiError && signIn.error.status === 401
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          autoFocus={known !== ''}
          data-autofocus={known !== '' || undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {signIn.isError &&
          (wrong ? (
            <ErrorNote
              error="The e-mail or the password is wrong."
              hint={
                <>
                  Forgotten? The operator of Millrace can set a new one with{' '}
                  <code>npx millrace users reset-password</code>.
                </>
              }
            />
          ) : (
            <ErrorNote title="You could not be signed in" error={signIn.error} />
          ))}
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
