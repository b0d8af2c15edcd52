// The port to the accounts of people at the providers of single sign-on.
import type { Login, NewUser } from '../access.ts'

export interface IdentityRecord extends Login {
  id: string
  userId: string
  /** The address at the provider, to tell identities apart. */
  email: string | null
  /** Whether the first sign-in by it made the account: then the provider decides the role. */
  madeAccount: boolean
  createdAt: number
  usedAt: number | null
}

export interface IdentityStore {
  find(login: Login): Promise<IdentityRecord | null>
  listOf(userId: string): Promise<IdentityRecord[]>
  /** Adds a user together with the identity. */
  addWithUser(user: NewUser, identity: IdentityRecord): Promise<'added' | 'email_taken' | 'identity_taken'>
  /** Returns false if the identity belongs to somebody already, or the user is gone. */
  link(identity: IdentityRecord): Promise<boolean>
  /** Ends the sessions that were opened by it. Returns null if the user has no such identity. */
  unlink(id: string, userId: string): Promise<IdentityRecord | null>
}

export interface LogoutTokens {
  /** Returns false if a token with this id was taken before. */
  take(id: string, expiresAt: number, now: number): Promise<boolean>
}
