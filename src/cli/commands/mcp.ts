// `millrace mcp`: the tools of the API for an assistant that starts this command.
import type { Scopes } from '../../base/scopes.ts'
import type { ApiRequest } from '../../mcp/tool.ts'
import { connect } from '../client/connect.ts'
import { SharedClient } from '../client/shared-client.ts'
import { defineCommand } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'

const NOTHING_RUNS =
  'No server runs on this data folder at the moment: test runs and deliveries wait until somebody starts "millrace serve".'

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Speak the Model Context Protocol on stdin and stdout, for assistants',
  details:
    'An assistant starts and ends the command; docs/mcp.md says how. The token limits its tools: with the scope read they\ncan read, but change nothing. On a data folder no token is needed, and the command holds the folder only while a\ntool works.',
  examples: [
    ['with a server', 'millrace mcp --server https://flows.example.com --token @token'],
    ['on a data folder', 'millrace mcp --data-dir ./.millrace'],
  ],
  async run({ settings, target, terminal }) {
    const client = new SharedClient(() => connect(settings, target))
    const { scopes, version, isIdle } = await client.use(async (api) => ({
      scopes: (await api.get<{ scopes: Scopes }>('/me')).scopes,
      version: (await api.get<{ version: string }>('/settings')).version,
      isIdle: api.isIdle,
    }))
    const call = ({ method, path, ...request }: ApiRequest) =>
      client
        .use(async (api) => {
          const response = await api.send(method, `/api/v1${path}`, request)
          return { ok: response.ok, text: await response.text() }
        })
        .catch((error) => ({ ok: false, text: failureText(error) }))
    const { stdin, stdout } = terminal.protocolStreams
    const { serveStdio } = await import('../../mcp/serve-stdio.ts')
    await serveStdio(stdin, stdout, {
      version,
      caller: { scopes, call },
      note: isIdle ? NOTHING_RUNS : '',
      onFault: () => terminal.err('error: a message on stdin was not understood and was ignored'),
    })
    return EXIT.ok
  },
})

/** Explains why the request could not be made, in the shape of the API's own errors. */
function failureText(error: unknown): string {
  if (!(error instanceof CliError)) throw error
  const message = [error.message, ...error.details].join(' ')
  return JSON.stringify({ status: 'error', code: error.code, message })
}
