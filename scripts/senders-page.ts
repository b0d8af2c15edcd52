// Writes the tables of docs/senders.md: the senders out of their files, and what the tests try with each.

import { SHOWN_ALGORITHMS } from '../src/flow/senders/describe-sender.ts'
import type { Sender } from '../src/flow/senders/schema.ts'

type Auth = Exclude<Sender['auth'], readonly unknown[]>

/** Returns the page with its tables as they have to be. */
export function withTables(page: string, senders: readonly Sender[], forgeries: string): string {
  const notes = senders
    .filter((sender) => sender.notes)
    .map(({ title, notes }) => `- **${title}**: ${notes!.replaceAll('<', '\\<')}`)
  const parts = { senders: sendersTable(senders), notes: notes.join('\n'), forgeries }
  return Object.entries(parts).reduce((text, [name, made]) => withPart(text, name, made), page)
}

/** Returns the page with its generated part of this name as it has to be. */
export function withPart(page: string, name: string, made: string): string {
  const begin = `<!-- ${name}: generated from here -->`
  const end = '<!-- to here -->'
  const from = page.indexOf(begin)
  if (from === -1) throw new Error(`The page has no line ${begin}`)
  return `${page.slice(0, from + begin.length)}\n\n${made}\n\n${page.slice(page.indexOf(end, from))}`
}

function sendersTable(senders: readonly Sender[]): string {
  const head = ['Sender', '`name`', 'Proves itself by', 'Time', 'Asks first by', 'What you give']
  const rows = senders.map(({ title, name, aliases, auth, handshake = [], fields }) => [
    title,
    [name, ...aliases].map((one) => `\`${one}\``).join(', '),
    [auth].flat().map(proofOf).join(' and '),
    [auth].flat().some((one) => one.kind === 'signature' && one.timestamp !== undefined) ? 'yes' : 'no',
    [...new Set(handshake.map(({ method }) => method))].join(', ') || '–',
    fields.map(({ name, optional }) => `\`${name}\`${optional ? ' if a proxy changes the URL' : ''}`).join(', '),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function proofOf(auth: Auth): string {
  switch (auth.kind) {
    case 'none':
      return 'nothing'
    case 'header':
    case 'query':
      return `a token in \`${auth.name}\``
    case 'basic':
      return 'a user name and a password'
    case 'body':
      return 'a token in the body'
    case 'signature': {
      const [header] = [auth.header ?? []].flat()
      return `${SHOWN_ALGORITHMS[auth.algorithm]} in ${header ? `\`${header}\`` : 'the body'}`
    }
  }
}
