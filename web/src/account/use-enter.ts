import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'

/** Continues as the user who just got a session. */
export function useEnter(): (to?: string) => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (to = '/') => {
    queryClient.clear()
    // The page of an approval is the server's, not one of the router's.
    if (to.startsWith('/api/')) {
      window.location.assign(to)
      return
    }
    await queryClient.fetchQuery(queries.authState)
    router.history.push(to)
  }
}
