// Who is signed in, and what they may do.
import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { Scope } from '../../../src/base/scopes.ts'
import type { AuthState, User } from './api-types.ts'
import { keys, queries } from './queries.ts'

export function useUser(): User | null {
  return useQuery(queries.authState).data?.user ?? null
}

/** Pages show to everybody, and offer to do only what the role allows. The service checks it again. */
export function useMay(scope: Scope): boolean {
  return useMayAny(scope)
}

/** Returns whether one of these scopes is there. */
export function useMayAny(...scopes: Scope[]): boolean {
  const own = useUser()?.scopes
  return scopes.some((scope) => own?.includes(scope))
}

/** Nobody is signed in any more; how one can sign in stays known. */
export function signedOut(queryClient: QueryClient): void {
  queryClient.setQueryData<AuthState>(keys.authState, (before) => ({
    providers: [],
    passwords: true,
    ...before,
    setup: false,
    user: null,
    twoFactorSetup: false,
  }))
}
