// What a token or a role may do: one scope for each kind of thing.

export const SCOPES = [
  'flows:read',
  'flows:write',
  'runs:read',
  'runs:data',
  'runs:replay',
  'connections:use',
  'connections:write',
  'approvals',
  'admin',
] as const

export type Scope = (typeof SCOPES)[number]
export type Scopes = readonly Scope[]

/** The names that stand for several scopes. */
export type ScopeUnion = 'read' | 'write' | 'admin'

export const UNIONS: Readonly<Record<ScopeUnion, Scopes>> = {
  read: ['flows:read', 'runs:read', 'runs:data'],
  write: SCOPES.filter((scope) => scope !== 'admin'),
  admin: SCOPES,
}

/** The roles that every installation has. */
export const BUILT_IN_ROLES: ReadonlyMap<string, Scopes> = new Map([
  ['viewer', UNIONS.read],
  ['editor', UNIONS.write],
  ['owner', UNIONS.admin],
])

/** Also for the attribute `pattern` of HTML, in which a hyphen needs its backslash. */
export const ROLE_NAME = '^[a-z][a-z0-9\\-]{0,39}$'

export const reaches = (scopes: Scopes, needed: Scopes): boolean => needed.every((scope) => scopes.includes(scope))

/** What is needed: all scopes of a list, or one of `any`. */
export type Needed = Scopes | { readonly any: Scopes }

export const meets = (scopes: Scopes, needed: Needed): boolean =>
  'any' in needed ? needed.any.some((scope) => scopes.includes(scope)) : reaches(scopes, needed)

export function neededWords(needed: Needed, quote = ''): string {
  const [scopes, joint] = 'any' in needed ? [needed.any, ' or '] : [needed, ' and ']
  return scopes.map((scope) => quote + scope + quote).join(joint)
}

/** Returns the scopes that are named, each once and in their usual order. */
export const inOrder = (names: readonly string[]): Scope[] => SCOPES.filter((scope) => names.includes(scope))

/** Reads scopes as they are stored. A name that is not known gives nothing. */
export const scopesFrom = (text: string): Scope[] => inOrder(text.split(' '))

/** Returns the name that stands for exactly these scopes; null if there is none. */
export function unionOf(scopes: Scopes): ScopeUnion | null {
  const names = Object.keys(UNIONS) as ScopeUnion[]
  return names.find((name) => UNIONS[name].length === scopes.length && reaches(scopes, UNIONS[name])) ?? null
}

export const scopeWords = (scopes: Scopes): string => unionOf(scopes) ?? (scopes.join(', ') || 'none')
