// Writes the table of docs/access.md: which route needs which scopes, as the service checks it.
import { neededWords } from '../src/base/scopes.ts'
import { ACCESS, type Access, accessWords, scopesOf } from '../src/http/access/access.ts'
import { withPart } from './senders-page.ts'

const WORDS: Partial<Record<string, string>> = {
  open: 'open',
  known: 'any credential',
  session: 'a session',
  confined: 'a session, also before its second factor is set up',
  token: 'a token',
}

const needsOf = (access: Access): string => WORDS[accessWords(access)] ?? neededWords(scopesOf(access), '`')

/** Returns the page with its table as it has to be. */
export function withAccessTable(page: string): string {
  const rows = Object.entries(ACCESS).map(([route, access]) => `| \`${route}\` | ${needsOf(access)} |`)
  return withPart(page, 'routes', ['| Route | Needs |', '| --- | --- |', ...rows].join('\n'))
}
