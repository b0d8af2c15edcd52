// `millrace tokens …` and `millrace users …`: who may do what.
import { type Scopes, scopeWords, UNIONS } from '../../base/scopes.ts'
import { limitFrom } from '../client/find-flow.ts'
import { defineCommand, list, text } from '../command.ts'
import { showTime } from '../terminal/show-time.ts'
import { table } from '../terminal/table.ts'

interface Token {
  id: string
  name: string
  scopes: Scopes
  createdAt: string
  createdBy: string | null
  expiresAt: string | null
  lastUsedAt: string | null
}

interface User {
  id: string
  email: string
  name: string
  role: string
  lastSignInAt: string | null
}

export const createToken = defineCommand({
  name: 'tokens create',
  summary: 'Make an API token; it is shown only once',
  args: ['<name>'],
  options: {
    scope: text('scope', 'read (the default), write or admin, or scopes with commas: flows:read,runs:read'),
    expires: text('time', 'the time from which it is refused, such as 2027-01-31T00:00:00Z; without it, never'),
    flow: list('flow', 'a flow that it is for; without flows and tags it is for all'),
    tag: list('tag', 'it is for flows with this tag'),
  },
  examples: [
    ['for a dashboard', 'millrace tokens create dashboard'],
    ['for a pipeline that applies flows', 'millrace tokens create ci --scope flows:read,flows:write'],
    ['for one flow', "millrace tokens create watcher --scope runs:read --flow 'Order alerts'"],
  ],
  async run({ connect, args, options, show, note }) {
    const api = await connect()
    const token = await api.call<{ token: string }>('POST', '/tokens', {
      body: {
        name: args[0],
        ...scopesFrom(options.scope ?? 'read'),
        ...(options.expires && { expiresAt: options.expires }),
        ...(await limitFrom(api, options)),
      },
    })
    note('Store it now: it is not shown again.')
    return show(token, () => token.token)
  },
})

const scopesFrom = (given: string) =>
  Object.hasOwn(UNIONS, given) ? { scope: given } : { scopes: given.split(',').map((scope) => scope.trim()) }

export const listTokens = defineCommand({
  name: 'tokens list',
  summary: 'List API tokens, without the tokens themselves',
  examples: [['all tokens', 'millrace tokens list']],
  async run({ connect, show, terminal }) {
    const items = await (await connect()).list<Token>('/tokens')
    return show({ items }, () =>
      items.length === 0
        ? 'There are no tokens.'
        : table(
            terminal,
            ['ID', 'SCOPE', 'EXPIRES', 'LAST USED', 'MADE BY', 'NAME'],
            items.map(({ id, scopes, expiresAt, lastUsedAt, createdBy, name }) => [
              id,
              scopeWords(scopes),
              showTime(expiresAt),
              showTime(lastUsedAt),
              createdBy ?? '-',
              name,
            ]),
          ),
    )
  },
})

export const revokeToken = defineCommand({
  name: 'tokens revoke',
  summary: 'Revoke an API token; the server refuses it from now on',
  args: ['<token-id>'],
  examples: [['by its id from the list', 'millrace tokens revoke tok_01m7…']],
  async run({ connect, args, show }) {
    await (await connect()).call('DELETE', `/tokens/${encodeURIComponent(args[0]!)}`)
    return show({ revoked: args[0] }, () => `Revoked ${args[0]}.`)
  },
})

export const listUsers = defineCommand({
  name: 'users list',
  summary: 'List the people who can sign in',
  examples: [['all users', 'millrace users list']],
  async run({ connect, show, terminal }) {
    const items = await (await connect()).list<User>('/users')
    return show({ items }, () =>
      items.length === 0
        ? 'There are no users yet: the set-up link is in the log of the server.'
        : table(
            terminal,
            ['ID', 'ROLE', 'LAST SIGN-IN', 'E-MAIL', 'NAME'],
            items.map(({ id, role, lastSignInAt, email, name }) => [id, role, showTime(lastSignInAt), email, name]),
          ),
    )
  },
})

export const inviteUser = defineCommand({
  name: 'users invite',
  summary: 'Make a link that lets somebody join; it is shown only once',
  args: ['[email]'],
  options: { role: text('role', 'viewer (the default), editor, owner, or a role that an owner made') },
  examples: [
    ['a colleague who builds flows', 'millrace users invite ada@example.com --role editor'],
    ['a viewer, with any e-mail address', 'millrace users invite'],
  ],
  async run({ connect, args, options, show, note }) {
    const invitation = await (await connect()).call<{ url: string; expiresAt: string }>('POST', '/invitations', {
      body: { role: options.role ?? 'viewer', ...(args[0] ? { email: args[0] } : {}) },
    })
    note(`Send this link; it works once, until ${showTime(invitation.expiresAt)}.`)
    return show(invitation, () => invitation.url)
  },
})
