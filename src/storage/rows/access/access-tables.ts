// The tables of users, and of how they come in.

/** The only row says that the first owner exists. */
export interface SetUpTable {
  id: number
  at: number
}

export interface UserAccountTable {
  id: string
  /** In lower case. */
  email: string
  name: string
  role: string
  /** The hash of the password, with its parameters; empty if the user has none. */
  password: string
  created_at: number
  last_sign_in_at: number | null
  /** 1 if the owner may sign in with a password where only single sign-on is allowed. */
  break_glass: number | null
}

/** The id is the digest of the cookie's value. */
export interface UserSessionTable {
  id: string
  user_id: string
  created_at: number
  expires_at: number
  /** The browser, in words. */
  device: string | null
  address: string | null
  used_at: number | null
  /** By whom it was opened, if by single sign-on. */
  issuer: string | null
  subject: string | null
  sid: string | null
}

/** An account at a provider of single sign-on. */
export interface UserIdentityTable {
  id: string
  user_id: string
  issuer: string
  subject: string
  email: string | null
  made_account: number
  created_at: number
  used_at: number | null
}

/** The logout tokens that were taken, until they would expire. */
export interface LogoutTokenTable {
  id: string
  expires_at: number
}

export interface SecondFactorTable {
  user_id: string
  sealed: string
  created_at: number
  confirmed_at: number | null
  used_step: number
}

export interface RecoveryCodeTable {
  user_id: string
  digest: string
}

export interface InvitationTable {
  id: string
  /** The digest of the code in the link. */
  code: string
  email: string | null
  role: string
  created_at: number
  expires_at: number
  user_id: string | null
}

export interface ApiTokenTable {
  id: string
  digest: string
  name: string
  /** Names, with spaces between them. */
  scope: string
  created_at: number
  created_by: string
  /** The owner of the token, which is deleted with that user. */
  user_id: string | null
  last_used_at: number | null
  last_address: string | null
  expires_at: number | null
  /** The token that made it, with which it is deleted. */
  made_by: string | null
  /** The flows and tags that it is for, as JSON; null: all. */
  only_for: string | null
}

/** A role that an owner made. */
export interface UserRoleTable {
  name: string
  /** Names, with spaces between them. */
  scopes: string
  created_at: number
}
