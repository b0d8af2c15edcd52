// For somebody whose role needs a second factor, before anything else.
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { useSignOut } from '../shell/use-sign-out.ts'
import { AccountFrame } from './account-frame.tsx'
import { TwoFactorSetup } from './security/two-factor-setup.tsx'
import { useEnter } from './use-enter.ts'

export function TwoFactorPage() {
  const state = useQuery(queries.authState)
  const enter = useEnter()
  const signOut = useSignOut()
  if (state.data && !state.data.user) return <Navigate to="/sign-in" />
  return (
    <AccountFrame
      title="Set up two-factor sign-in"
      lead="Your role needs it: from now on, signing in takes a code of an app on your phone besides your password."
    >
      <TwoFactorSetup done="Continue" onDone={() => void enter()} />
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => void signOut()}
        style={{ alignSelf: 'flex-start' }}
      >
        Sign out
      </Anchor>
    </AccountFrame>
  )
}
