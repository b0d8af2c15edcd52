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

export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error) => isSignedOut(error) && onSignedOut() }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) =>
        isSignedOut(error) && !mutation.meta?.asksForCredentials && onSignedOut(),
    }),
    defaultOptions: {
      queries: { networkMode: 'always', retry: worthAnotherTry, retryDelay: 500, staleTime: 5000 },
      mutations: { networkMode: 'always' },
    },
  })
}
