// The words for roles and scopes.
import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../../src/base/scopes.ts'
import { queries } from '../api/queries.ts'

export const ROLE_MEANS: Readonly<Record<string, string>> = {
  viewer: 'A viewer sees flows, runs and deliveries',
  editor: 'An editor also builds flows, and looks after runs and connections',
  owner: 'An owner also looks after users, tokens and keys',
}

export const SCOPE_MEANS: Readonly<Record<Scope, string>> = {
  'flows:read': 'sees flows and their versions',
  'flows:write': 'changes, publishes and pauses flows',
  'runs:read': 'sees runs, deliveries and failures, without their data',
  'runs:data': 'sees what runs were given, sent and got',
  'runs:replay': 'starts, replays and cancels runs',
  'connections:use': 'sees connections, and uses them in flows',
  'connections:write': 'makes and changes connections',
  approvals: 'sees and answers approvals',
  admin: 'looks after users, tokens, settings, audit and keys',
}

const BUILT_IN = ['viewer', 'editor', 'owner']

const labelOf = (name: string): string =>
  BUILT_IN.includes(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name

/** The roles of Millrace, and those that owners made once they are loaded. */
export function useRoleChoices(): { value: string; label: string }[] {
  const roles = useQuery(queries.roles).data
  return (roles?.map(({ name }) => name) ?? BUILT_IN).map((value) => ({ value, label: labelOf(value) }))
}
