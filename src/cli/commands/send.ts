// `millrace send`: posts a payload to a flow's webhook.
import { readFileSync } from 'node:fs'
import { parseJson } from '../../flow/json/parse-json.ts'
import { type ApiClient, fetchOrExplain } from '../client/api-client.ts'
import type { WebhookReply } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { readSecrets } from '../client/secret-source.ts'
import { type Context, defineCommand, flag, list, text } from '../command.ts'
import { EXIT, type ExitCode, usageError } from '../exit-code.ts'
import { followRun } from './runs.ts'
import { sendSample } from './senders/send-sample.ts'

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
    as: text('sender', "a sample event of this sender, signed with the flow's own secret, in place of a payload"),
    event: text('event', 'which of its sample events; the first by default'),
    'private-key': text(
      'file',
      'for a sender that signs with a key pair: the private key, in PEM, of a pair of your own',
    ),
    test: flag('post to the test URL: the server keeps a sample and starts nothing'),
    wait: flag('follow the run to its end'),
  },
  examples: [
    ['inline', `millrace send Hello --data '{"name": "Ada"}'`],
    ['from a file, and wait for the result', "millrace send 'Order alerts' --file order.json --wait"],
    ['from another program', `echo '{"name": "Ada"}' | millrace send Hello`],
    ['as Stripe would', 'millrace send Payments --as stripe --event invoice.paid'],
    ['with a key from the environment', 'millrace send Hello --secret-header X-Key=env:HELLO_KEY --data {}'],
  ],
  async run(context) {
    const { connect, args, options } = context
    if (options.as !== undefined || options.event !== undefined) return sendEvent(context)
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
    return answered(context, api, { status: response.status, body: bodyOf(await response.text()) })
  },
})

type Sending = Context<{
  data: string | undefined
  file: string | undefined
  as: string | undefined
  event: string | undefined
  'private-key': string | undefined
  test: boolean
  wait: boolean
}>

async function sendEvent(context: Sending): Promise<ExitCode> {
  const { connect, args, options } = context
  if (options.data !== undefined || options.file !== undefined)
    throw usageError('Give a payload, or --as and --event for one of a sender, not both.')
  const api = await connect()
  const flow = await findFlow(api, args[0]!)
  const privateKey = options['private-key'] === undefined ? null : readFileSync(options['private-key'], 'utf8')
  return answered(context, api, await sendSample(api, flow, { ...options, privateKey }))
}

/** Says what the webhook answered, and follows the run where that is asked for. */
async function answered(context: Sending, api: ApiClient, reply: { status: number; body: unknown }): Promise<ExitCode> {
  const { options, show } = context
  const { status, body } = reply
  const { id, message } = (body ?? {}) as Partial<WebhookReply>
  const ok = status >= 200 && status < 300
  if (ok && options.wait && !options.test && id?.startsWith('run_')) return followRun(context, api, id)
  show(reply, () => `${status} ${message ?? ''}${id ? ` (${id})` : ''}${message ? '' : JSON.stringify(body)}`)
  return ok ? EXIT.ok : EXIT.failed
}

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
