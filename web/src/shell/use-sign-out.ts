import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/api-client.ts'
import { keys } from '../api/queries.ts'
import { signedOut } from '../api/session.ts'

export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await api.post('/api/auth/sign-out', {})
    } catch (error) {
      // Every page has this; the notices come when there is one.
      const { notifyFailure } = await import('../ui/notify.tsx')
      notifyFailure('You could not be signed out', error)
      return
    }
    const state = queryClient.getQueryData(keys.authState)
    queryClient.clear()
    queryClient.setQueryData(keys.authState, state)
    signedOut(queryClient)
    await navigate({ to: '/sign-in' })
  }
}
