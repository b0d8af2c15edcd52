import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { AccountFrame } from './account-frame.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { to } = route.useSearch()
  const state = useQuery(queries.authState)
  const enter = useEnter()
  if (state.data?.setup) return <Navigate to="/setup" />
  return (
    <AccountFrame title="Sign in" lead={to ? 'Sign in to continue to the page you asked for.' : undefined}>
      <SignInForm onSignedIn={() => enter(to)} />
    </AccountFrame>
  )
}
