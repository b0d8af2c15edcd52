import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { urlOf } from '../api/api-client.ts'
import { queries } from '../api/queries.ts'
import { AccountFrame } from './account-frame.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { to } = route.useSearch()
  const state = useQuery(queries.authState)
  const enter = useEnter()
  const [isBreakGlass, setBreakGlass] = useState(false)
  if (state.data?.setup) return <Navigate to="/setup" />
  const providers = state.data?.providers ?? []
  const withPassword = state.data?.passwords !== false || isBreakGlass
  return (
    <AccountFrame title="Sign in" lead={to ? 'Sign in to continue to the page you asked for.' : undefined}>
      {providers.length > 0 && (
        <Stack gap="xs">
          {providers.map(({ id, name }) => (
            // The provider's page takes over, so this is a link, and none of the router's.
            <Button key={id} component="a" href={urlOf(`/api/auth/oidc/${id}`, { to })} variant="default">
              Sign in with {name}
            </Button>
          ))}
        </Stack>
      )}
      {providers.length > 0 && withPassword && (
        <Text size="sm" c="dimmed" ta="center">
          or with a password
        </Text>
      )}
      {withPassword ? (
        <SignInForm onSignedIn={() => enter(to)} />
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => setBreakGlass(true)}>
          I am a break-glass owner
        </Anchor>
      )}
    </AccountFrame>
  )
}
