// `millrace send`: posts a payload to a flow's webhook.
import { readFileSync } from 'node:fs'
import { parseJson } from '../../flow/parse-json.ts'
import { type ApiClient, fetchOrExplain } from '../client/api-client.ts'
import type { WebhookReply } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { readSecrets } from '../client/secret-source.ts'
import { type Context, defineCommand, flag, list, text } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'
import { followRun } from './runs.ts'

export const send = defineCommand({
  name: 'send',
  summary: "Post a payload to a flow's webhook or test URL",
  args: ['<flow>'],
  options: {
    data: text('text', 'the payload itself'),
    file: text('file', 'the payload from a file; - is stdin'),
    type: text('type', 'its content type; application/json by default'),
    header: list('name: value', 'a header'),
    'secret-header': list(
      'name',
      'a header whose value the command asks for; name=env:VARIABLE or name=file:path reads it from there',
    ),
    query: list('name=value', 'a query parameter'),
    test: flag('post to the test URL: the server keeps a sample and starts nothing'),
    wait: flag('follow the run to its end'),
  },
  examples: [
    ['inline', `millrace send Hello --data '{"name": "Ada"}'`],
    ['from a file, and wait for the result', "millrace send 'Order alerts' --file order.json --wait"],
    ['from another program', `echo '{"name": "Ada"}' | millrace send Hello`],
    ['with a key from the environment', 'millrace send Hello --secret-header X-Key=env:HELLO_KEY --data {}'],
  ],
  async run(context) {
    const { connect, args, options, show } = context
    const content = await payload(context, options)
    const headers = {
      'content-type': options.type ?? 'application/json',
      ...Object.fromEntries(options.header.map(headerFrom)),
      ...(await readSecrets(options['secret-header'], context.terminal, context.settings.variable)),
    }
    const api = await connect()
    const flow = await findFlow(api, args[0]!)
    if (!flow.webhook) throw usageError(`${flow.name} has no webhook: its trigger has another kind`)
    const query = new URLSearchParams(options.query.map(pairFrom)).toString()
    const path = `/api/v1/webhooks/${flow.webhook.id}${options.test ? '/test' : ''}${query && `?${query}`}`
    const response = await fetchOrExplain(`${await originFor(api)}${path}`, { method: 'POST', headers, body: content })
    const body = bodyOf(await response.text())
    const { id, message } = (body ?? {}) as Partial<WebhookReply>
    if (response.ok && options.wait && !options.test && id?.startsWith('run_')) return followRun(context, api, id)
    show(
      { status: response.status, body },
      () => `${response.status} ${message ?? ''}${id ? ` (${id})` : ''}${message ? '' : JSON.stringify(body)}`,
    )
    return response.ok ? EXIT.ok : EXIT.failed
  },
})

/** Where webhooks have an origin of their own, they are answered there only. */
async function originFor(api: ApiClient): Promise<string> {
  if (api.isIdle) return api.url
  const { baseUrl, webhookBaseUrl } = await api.get<{ baseUrl: string; webhookBaseUrl: string }>('/settings')
  return webhookBaseUrl === baseUrl ? api.url : webhookBaseUrl
}

async function payload(
  { terminal }: Pick<Context<unknown>, 'terminal'>,
  { data, file }: { data: string | undefined; file: string | undefined },
): Promise<string | Buffer> {
  if (data !== undefined && file !== undefined) throw usageError('Give --data or --file, not both.')
  if (data !== undefined) return data
  if (file !== undefined && file !== '-') return readFileSync(file)
  if (file === undefined && terminal.isInteractive)
    throw usageError('Give a payload with --data or --file, or send it to stdin.')
  return terminal.readStdin()
}

function headerFrom(line: string): [string, string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(line) ?? []
  if (!name) throw usageError(`--header takes 'Name: value', not "${line}".`)
  return [name, value!]
}

export function pairFrom(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`"${text}" is not <name>=<value>.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function bodyOf(text: string): unknown {
  try {
    return text === '' ? null : parseJson(text)
  } catch {
    return text
  }
}
