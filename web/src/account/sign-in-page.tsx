import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, api } from '../api/api-client.ts'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { AccountFrame } from './account-frame.tsx'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { to } = route.useSearch()
  const state = useQuery(queries.authState)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter()
  const signIn = useMutation({
    mutationFn: () => api.post('/api/auth/sign-in/email', { email, password }),
    meta: { asksForCredentials: true },
    onSuccess: () => enter(to),
  })
  if (state.data?.setup) return <Navigate to="/setup" />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  const wrong = signIn.error instanceof ApiError && signIn.error.status === 401
  return (
    <AccountFrame title="Sign in" lead={to ? 'Sign in to continue to the page you asked for.' : undefined}>
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
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
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
    </AccountFrame>
  )
}
