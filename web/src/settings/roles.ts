import type { Role, Scope } from '../api/api-types.ts'

export const ROLES: { value: Role; label: string; means: string }[] = [
  { value: 'viewer', label: 'Viewer', means: 'sees flows, runs and deliveries' },
  { value: 'editor', label: 'Editor', means: 'also builds flows, and looks after runs and connections' },
  { value: 'owner', label: 'Owner', means: 'also looks after users, tokens and keys' },
]

export const SCOPES: { value: Scope; label: string; means: string }[] = [
  { value: 'read', label: 'read', means: 'every GET, and validating a flow' },
  { value: 'write', label: 'write', means: 'also flows, runs and connections' },
  { value: 'admin', label: 'admin', means: 'also tokens, users, audit and keys' },
]
