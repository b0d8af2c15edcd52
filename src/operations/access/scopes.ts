// Maps roles to scopes, and compares scopes.
import type { Role, Scope } from '../ports/access.ts'

export const SCOPE_OF: Readonly<Record<Role, Scope>> = { viewer: 'read', editor: 'write', owner: 'admin' }

const RANK: Readonly<Record<Scope, number>> = { read: 1, write: 2, admin: 3 }

export const reaches = (scope: Scope, needed: Scope): boolean => RANK[scope] >= RANK[needed]
