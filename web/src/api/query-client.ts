import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-client.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** A 401 says that what was typed is wrong, not that the session has ended. */
      asksForCredentials?: boolean
    }
  }
}

const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401

/** Refusals stay refusals; what may pass by itself is tried once more. */
function worthAnotherTry(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status < 500) return false
  return failures < 1
}

interface Refusals {
  /** The session has ended. */
  signedOut: () => void
  /** An owner has just said that the user's role needs a second factor. */
  confined: () => void
}

export function createQueryClient(refusals: Refusals): QueryClient {
  const isConfined = (error: unknown) => error instanceof ApiError && error.code === 'two_factor_setup_required'
  const refused = (error: unknown) => {
    if (isSignedOut(error)) refusals.signedOut()
    if (isConfined(error)) refusals.confined()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: refused }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (!(mutation.meta?.asksForCredentials && isSignedOut(error))) refused(error)
      },
    }),
    defaultOptions: {
      queries: { networkMode: 'always', retry: worthAnotherTry, retryDelay: 500, staleTime: 5000 },
      mutations: { networkMode: 'always' },
    },
  })
}
