// `millrace connections …`: credentials that flows use by name.
import { gatherTls, spreadTls } from '../../base/tls-parts.ts'
import type { ApiClient } from '../client/api-client.ts'
import { limitFrom } from '../client/find-flow.ts'
import { readSecrets } from '../client/secret-source.ts'
import { defineCommand, flag, list, text } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit-code.ts'
import { showTime } from '../terminal/show-time.ts'
import { fields, table } from '../terminal/table.ts'
import { pairFrom } from './send.ts'

interface Connection {
  name: string
  kind: string
  fields: Record<string, unknown>
  secretFields: string[]
  outside: Record<string, string>
  hosts: string[]
  flows: string[] | null
  tags: string[] | null
  state: string
  reason: string | null
  expiresAt: string | null
  certificate: { subject: string; expiresAt: string } | null
  usedBy: { id: string; name: string }[]
  updatedAt: string
}

const onlyFor = ({ flows, tags }: Connection): string =>
  [...(flows ?? []), ...(tags ?? []).map((tag) => `tag ${tag}`)].join(', ') || 'all flows'

const pathOf = (name: string) => `/connections/${encodeURIComponent(name)}`

export const listConnections = defineCommand({
  name: 'connections list',
  summary: 'List connections, without their secrets',
  examples: [['with their states', 'millrace connections list']],
  async run({ connect, show, terminal }) {
    const items = await (await connect()).list<Connection>('/connections')
    return show({ items }, () =>
      items.length === 0
        ? 'There are no connections.'
        : table(
            terminal,
            ['NAME', 'KIND', 'STATE', 'USED BY', 'HOSTS'],
            items.map(({ name, kind, state, usedBy, hosts }) => [
              name,
              kind,
              state,
              usedBy.length === 1 ? '1 flow' : `${usedBy.length} flows`,
              hosts.join(', ') || 'any',
            ]),
          ),
    )
  },
})

export const showConnection = defineCommand({
  name: 'connections show',
  summary: 'Show a connection, without its secrets',
  args: ['<name>'],
  examples: [['who uses it', 'millrace connections show shop']],
  async run({ connect, args, show, terminal }) {
    const connection = await (await connect()).get<Connection>(pathOf(args[0]!))
    return show(connection, () =>
      fields(terminal, [
        ['name', connection.name],
        ['kind', connection.kind],
        ['state', connection.reason ? `${connection.state}: ${connection.reason}` : connection.state],
        ...Object.entries(spreadTls(connection.fields)).map(
          ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
        ),
        ...connection.secretFields.map((name) => [name, connection.outside[name] ?? '(secret)'] as const),
        ...(connection.certificate
          ? [['expires', `${connection.certificate.subject}, ${showTime(connection.certificate.expiresAt)}`] as const]
          : []),
        ['hosts', connection.hosts.join(', ') || 'any'],
        ['only for', onlyFor(connection)],
        ['used by', connection.usedBy.map(({ name }) => name).join(', ') || 'no flow'],
        ['changed', showTime(connection.updatedAt)],
      ]),
    )
  },
})

export const setConnection = defineCommand({
  name: 'connections set',
  summary: 'Create a connection, or change it',
  args: ['<name>'],
  options: {
    kind: text('kind', 'basic, bearer, apiKey, digest, oauth2, jwt, aws, tls or custom; needed for a new one'),
    field: list('name=value', 'a field that is not secret'),
    secret: list(
      'name',
      'a secret field: the command asks for it or reads stdin; name=env:VARIABLE or name=file:path reads it from there',
    ),
    host: list('host', 'where its secrets may be sent: api.example.com, *.example.com, host:port'),
    flow: list('flow', 'a flow that may use it; without flows and tags all may'),
    tag: list('tag', 'flows with this tag may use it'),
    'all-flows': flag('all flows may use it again'),
  },
  details:
    'Do not put secrets on the command line: every user of the machine can read it.\nA field of an existing connection that you do not give stays as it is. You must give its secrets again if the change allows more hosts or another endpoint.',
  examples: [
    [
      'the command asks for the token',
      'millrace connections set shop --kind bearer --secret token --host api.example.com',
    ],
    ['from a file', 'millrace connections set shop --kind bearer --secret token < shop-token.txt'],
    [
      'user and password, in a pipeline',
      'millrace connections set crm --kind basic --field username=millrace --secret password=env:CRM_PASSWORD',
    ],
    [
      'a client certificate; beside the fields of another kind these are tls.certificate and tls.key',
      'millrace connections set bank --kind tls --field "certificate=$(cat client.pem)" --secret key=file:client.key',
    ],
  ],
  async run({ connect, args, options, show, terminal, settings }) {
    const name = args[0]!
    if (options['all-flows'] && options.flow.length + options.tag.length)
      throw usageError('--all-flows takes the limits away, and --flow and --tag set them: give one or the other.')
    const secrets = await readSecrets(options.secret, terminal, settings.variable)
    const api = await connect()
    const current = await currentOf(api, name)
    const kind = options.kind ?? current?.kind
    if (kind === undefined) throw usageError(`There is no connection "${name}" yet: give a --kind.`)
    const kept = current?.kind === kind ? spreadTls(current.fields) : {}
    const body = {
      kind,
      fields: gatherTls({ ...kept, ...Object.fromEntries(options.field.map(pairFrom)), ...secrets }),
      ...(options.host.length ? { hosts: options.host } : {}),
      ...(options['all-flows'] ? { flows: null, tags: null } : await limitFrom(api, options)),
    }
    const connection = current
      ? await api.call<Connection>('PUT', pathOf(name), { body })
      : await api.call<Connection>('POST', '/connections', { body: { name, ...body } })
    return show(connection, () => `${current ? 'Changed' : 'Created'} ${name}: ${connection.state}.`)
  },
})

async function currentOf(api: ApiClient, name: string): Promise<Connection | null> {
  try {
    return await api.get<Connection>(pathOf(name))
  } catch (error) {
    if (error instanceof CliError && error.exit === EXIT.notFound) return null
    throw error
  }
}

interface ConnectionTest {
  verdict: string
  status: number | null
  message: string
}

export const testConnection = defineCommand({
  name: 'connections test',
  summary: 'Send a GET with the credentials of a connection, and say what the reply means',
  args: ['<name>', '<url>'],
  details: 'Ends with exit code 1 unless the API accepts the credentials.',
  examples: [
    [
      'against a URL that needs them; exit code 1 unless it accepts them',
      'millrace connections test shop https://api.example.com/me',
    ],
  ],
  async run({ connect, args, show }) {
    const [name, url] = args as [string, string]
    const result = await (await connect()).call<ConnectionTest>('POST', `${pathOf(name)}/test`, { body: { url } })
    show(result, () => `${result.verdict}${result.status === null ? '' : ` (${result.status})`}: ${result.message}`)
    return result.verdict === 'accepted' ? EXIT.ok : EXIT.failed
  },
})

export const deleteConnection = defineCommand({
  name: 'connections delete',
  summary: 'Delete a connection that no published flow uses',
  args: ['<name>'],
  options: { yes: flag('do not ask') },
  examples: [['in a script', 'millrace connections delete shop --yes']],
  async run({ connect, args, options, show, terminal }) {
    const name = args[0]!
    const api = await connect()
    if (!options.yes && terminal.isInteractive && !(await terminal.confirm(`Delete the connection "${name}"?`)))
      return EXIT.failed
    await api.call('DELETE', pathOf(name))
    return show({ deleted: name }, () => `Deleted ${name}.`)
  },
})
