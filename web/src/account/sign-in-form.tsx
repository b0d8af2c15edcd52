// E-mail and password, and a code of the second factor, on the page for it and in the dialog over another one.
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

const needsCode = (error: unknown): boolean => error instanceof ApiError && error.code === 'second_factor_required'

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  /** null until the service asks for it. */
  const [code, setCode] = useState<string | null>(null)
  const signIn = useMutation({
    mutationFn: () =>
      api.post('/api/auth/sign-in/email', { email, password, ...(code === null ? {} : { code: code.trim() }) }),
    meta: { asksForCredentials: true },
    onSuccess: onSignedIn,
    onError: (error) => {
      if (code === null && needsCode(error)) setCode('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  const wrong = signIn.error instanceof ApiError && signIn.error.status === 401 && !needsCode(signIn.error)
  // The first answer only asks for the code, which is no fault.
  const isAsked = needsCode(signIn.error) && code === ''
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
        {code !== null && (
          <TextInput
            label="Code of your authenticator app"
            description="Or one of your recovery codes."
            autoComplete="one-time-code"
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {signIn.isError &&
          !isAsked &&
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
