// The port to the stores of users, roles, sessions, invitations and API tokens.
import type { FlowLimit } from '../../base/flow-limit.ts'
import type { Scopes } from '../../base/scopes.ts'
import type { Page, Paged } from './page.ts'

export interface RoleRecord {
  name: string
  scopes: Scopes
  /** null if every installation has it. */
  createdAt: number | null
}

export interface RoleStore {
  /** Returns the roles that every installation has, then those that owners made, by their names. */
  list(): Promise<RoleRecord[]>
  get(name: string): Promise<RoleRecord | null>
  /** Returns false if the name is taken. */
  add(role: RoleRecord): Promise<boolean>
  /** Ends what its users may no longer have. Returns those users; null if no owner has made such a role. */
  change(name: string, scopes: Scopes): Promise<string[] | null>
  /** Returns 'in_use' if a user or an invitation has it. */
  remove(name: string, now: number): Promise<'removed' | 'in_use' | null>
}

export interface UserRecord {
  id: string
  /** The address in lower case. */
  email: string
  name: string
  /** The name of the role. */
  role: string
  /** Those of the role. */
  scopes: Scopes
  createdAt: number
  lastSignInAt: number | null
  /** Whether the owner may sign in with a password where only single sign-on is allowed. */
  breakGlass: boolean
}

export interface NewUser extends UserRecord {
  /** The hash of the password; null if the user has none. */
  password: string | null
}

export interface UserStore {
  get(id: string): Promise<UserRecord | null>
  byEmail(email: string): Promise<NewUser | null>
  /** Returns users in the order of their creation. */
  list(page: Page): Promise<Paged<UserRecord>>
  /** Returns whether the first owner exists. */
  isSetUp(): Promise<boolean>
  /** Returns false if there is an owner already. */
  addFirstOwner(user: NewUser): Promise<boolean>
  /** Adds a user and uses up the invitation with the digest `code`. */
  addInvited(user: NewUser, code: string): Promise<'added' | 'no_invitation' | 'email_taken'>
  /**
   * Gives the user a role. If it lacks a scope that the user had, ends the user's sessions, invitations, authorization requests and
   * tokens that exceed it, with what those tokens made.
   */
  setRole(id: string, role: string): Promise<UserRecord | 'last_owner' | 'no_role' | null>
  /** Deletes the user with their sessions, invitations, tokens and authorization requests. */
  remove(id: string): Promise<UserRecord | 'last_owner' | null>
  /** Ends all sessions of the user. Returns false if the password is no longer `expected`; null expects none. */
  setPassword(id: string, password: string, expected: string | null): Promise<boolean>
  /** Returns false if the user is no owner with a password. */
  setBreakGlass(id: string, on: boolean): Promise<boolean>
}

export interface SessionRecord {
  /** The digest of the cookie's content. */
  id: string
  userId: string
  createdAt: number
  expiresAt: number
  /** The browser, in words; null if it is not known. */
  device: string | null
  /** The address of the sign-in. */
  address: string | null
  /** The last use, to the minute. */
  usedAt: number
  /** By whom it was opened, if by single sign-on. */
  login: SessionLogin | null
}

/** Whoever the provider with this issuer calls by this subject. Nothing else identifies a person: addresses change hands. */
export interface Login {
  issuer: string
  subject: string
}

export interface SessionLogin extends Login {
  /** The provider's own session. */
  sid: string | null
}

export interface FoundRecord {
  session: SessionRecord
  user: UserRecord
  /** Whether the user has a confirmed second factor. */
  secondFactor: boolean
}

export interface SessionStore {
  /** Returns false if `password`, the hash of the password that was checked, is no longer the user's. */
  open(session: SessionRecord, password: string): Promise<boolean>
  /** Returns false if the identity of `session.login` is no longer the user's. */
  openByLogin(session: SessionRecord): Promise<boolean>
  find(id: string): Promise<FoundRecord | null>
  renew(id: string, expiresAt: number): Promise<void>
  used(id: string, at: number): Promise<void>
  /** Returns the sessions of a user that have not expired, the last used first; not more than a hundred. */
  listOf(userId: string, now: number): Promise<SessionRecord[]>
  end(id: string): Promise<void>
  /** Returns false if the user has no such session. */
  endOf(userId: string, id: string): Promise<boolean>
  /** Returns how many sessions ended; `except`: the id of one that stays. */
  endAllOf(userId: string, except: string | null): Promise<number>
  /** Ends the sessions of a person at a provider, or those of one session there. Returns whose they were. */
  endByLogin(issuer: string, of: { sid: string | null; subject: string | null }): Promise<string[]>
}

export interface InvitationRecord {
  id: string
  /** null if anyone with the link may use it. */
  email: string | null
  role: string
  createdAt: number
  expiresAt: number
  /** The user who made the invitation. It is deleted with that user, or when the user loses a scope. */
  userId: string | null
}

export interface InvitationStore {
  /** Returns false if the user is gone or may not give this role, or there is no such role. */
  add(invitation: InvitationRecord, code: string): Promise<boolean>
  byCode(code: string, now: number): Promise<InvitationRecord | null>
  /** Returns the invitations that can still be used, newest first. */
  list(now: number, page: Page): Promise<Paged<InvitationRecord>>
  remove(id: string): Promise<InvitationRecord | null>
}

export interface TokenRecord {
  id: string
  digest: string
  name: string
  scopes: Scopes
  createdAt: number
  createdBy: string
  /** The user who owns the token. It is deleted with that user. */
  userId: string | null
  /** The token that made it. It is deleted with that one. */
  madeBy: string | null
  /** null: it does not expire. */
  expiresAt: number | null
  /** The flows that it is for; null: all. */
  limit: FlowLimit | null
  lastUsedAt: number | null
  /** From where it was last used. */
  lastAddress: string | null
}

export interface TokenStore {
  all(): Promise<TokenRecord[]>
  find(digest: string): Promise<TokenRecord | null>
  /** Returns false if the user is gone or has less by now, or the token that makes it is gone. */
  add(token: TokenRecord): Promise<boolean>
  /** Deletes the token, the tokens that it made, and their authorization requests. */
  remove(id: string): Promise<TokenRecord | null>
  /** Deletes all tokens of a user. */
  removeOf(userId: string): Promise<void>
  used(id: string, at: number, address: string): Promise<void>
}

/** Stores passwords as hashes that are slow to compute. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Returns whether they match. Without a hash it takes as long and returns false. */
  match(password: string, hash: string | null): Promise<boolean>
  /** Returns whether it is one of the passwords that everybody would guess first. */
  isCommon(password: string): boolean
}

/** The public part of a user. */
export interface UserView {
  id: string
  email: string
  name: string
  role: string
  scopes: Scopes
}

/** The user or token that makes a request. */
export interface Actor {
  /** The id of the user or token; null for the admin token. */
  id: string | null
  /** The name for lists and logs: an e-mail address, or the token's name. */
  name: string
  scopes: Scopes
  /** The flows that a token is for; null: all. */
  limit: FlowLimit | null
  /** The user, or the user who made the token; null for the installation itself. */
  userId: string | null
  /** The signed-in user; null for tokens. */
  user: UserView | null
}

/** Returns the name by which other users know the actor; the audit log has the address. */
export const knownAs = ({ user, name }: Actor): string => user?.name ?? name
