// Where users, their sessions, invitations and API tokens are kept.
import type { Page, Paged } from './page.ts'

export type Scope = 'read' | 'write' | 'admin'
export type Role = 'viewer' | 'editor' | 'owner'

export interface UserRecord {
  id: string
  /** In lower case. */
  email: string
  name: string
  role: Role
  createdAt: number
  lastSignInAt: number | null
}

export interface NewUser extends UserRecord {
  /** Its hash. */
  password: string
}

export interface UserStore {
  get(id: string): Promise<UserRecord | null>
  byEmail(email: string): Promise<NewUser | null>
  /** In the order in which they came. */
  list(page: Page): Promise<Paged<UserRecord>>
  /** Whether the first owner was made. */
  isSetUp(): Promise<boolean>
  /** false: there was one already. */
  addFirstOwner(user: NewUser): Promise<boolean>
  /** Uses the invitation up, of which `code` is the digest. */
  addInvited(user: NewUser, code: string): Promise<'added' | 'no_invitation' | 'email_taken'>
  /** Tokens of the user that reach further than `scope` go. */
  setRole(id: string, role: Role, scope: Scope): Promise<UserRecord | 'last_owner' | null>
  /** With its sessions and tokens. */
  remove(id: string): Promise<UserRecord | 'last_owner' | null>
  /** Ends all sessions of the user. false: the password is not `expected` any more; null expects none. */
  setPassword(id: string, password: string, expected: string | null): Promise<boolean>
}

export interface SessionRecord {
  /** The digest of what the cookie holds. */
  id: string
  userId: string
  createdAt: number
  expiresAt: number
}

export interface SessionStore {
  /** false: the password that was checked, of which `password` is the hash, is not the user's any more. */
  open(session: SessionRecord, password: string): Promise<boolean>
  find(id: string): Promise<{ session: SessionRecord; user: UserRecord } | null>
  renew(id: string, expiresAt: number): Promise<void>
  end(id: string): Promise<void>
}

export interface InvitationRecord {
  id: string
  /** null: for whoever has the link. */
  email: string | null
  role: Role
  createdAt: number
  expiresAt: number
  /** Whose invitation it is: it goes with that user, or with the role. */
  userId: string | null
}

export interface InvitationStore {
  /** false: the user has gone or has another role by now. */
  add(invitation: InvitationRecord, code: string): Promise<boolean>
  byCode(code: string, now: number): Promise<InvitationRecord | null>
  /** Those that can still be used, newest first. */
  list(now: number, page: Page): Promise<Paged<InvitationRecord>>
  remove(id: string): Promise<InvitationRecord | null>
}

export interface TokenRecord {
  id: string
  digest: string
  name: string
  scope: Scope
  createdAt: number
  createdBy: string
  /** Whose token it is: it goes with that user. */
  userId: string | null
  lastUsedAt: number | null
}

export interface TokenStore {
  all(): Promise<TokenRecord[]>
  find(digest: string): Promise<TokenRecord | null>
  /** false: the user has gone or has another role by now. */
  add(token: TokenRecord): Promise<boolean>
  remove(id: string): Promise<TokenRecord | null>
  used(id: string, at: number): Promise<void>
}

/** Passwords are kept as hashes that are slow to compute. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes as long without a hash, and says no. */
  match(password: string, hash: string | null): Promise<boolean>
}

/** A user as others see it. */
export interface UserView {
  id: string
  email: string
  name: string
  role: Role
}

/** Who asks. */
export interface Actor {
  /** Of the user or token; null: the admin token. */
  id: string | null
  /** For lists and logs: an e-mail address, or what the token is called. */
  name: string
  scope: Scope
  /** Who stands behind it: the user, or whoever made the token; null: the installation itself. */
  userId: string | null
  /** Who is signed in; null for tokens. */
  user: UserView | null
}
