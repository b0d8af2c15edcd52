// Lists every way in for data from outside, each with the inputs that belong there.
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, deflate, gzip } from 'node:zlib'
import { readConfig } from '../../src/app/config.ts'
import { startApp } from '../../src/app/start.ts'
import { normalMessage } from '../../src/base/normal-message.ts'
import { parseCurl } from '../../src/flow/curl/parse-curl.ts'
import { ExpressionError, parseTemplate, renderValue } from '../../src/flow/expression/index.ts'
import type { Bindings } from '../../src/flow/expression/values/bindings.ts'
import { importOperation } from '../../src/flow/openapi/import-operation.ts'
import { OpenApiError, readOpenApi } from '../../src/flow/openapi/read-openapi.ts'
import { renderMarkdown } from '../../src/http/pages/markdown.ts'
import { readRequest } from '../../src/http/webhooks/plain/read-request.ts'
import { CookieJar } from '../../src/outbound/cookie-jar.ts'
import { chooseChallenge } from '../../src/steps/http/auth/digest.ts'
import { MARKDOWN_INPUTS } from './approval-inputs.ts'
import { CALL_INPUTS, checksInput } from './call-inputs.ts'
import { deskSurfaces, manySteps, WORST_LABELS } from './failure-desk.ts'
import { FORMAT_EXPRESSIONS, WORST_LISTS, XML_INPUTS } from './format-inputs.ts'
import {
  CHALLENGE_INPUTS,
  COOKIE_INPUTS,
  CURL_INPUTS,
  EXPRESSION_INPUTS,
  FLOW_INPUTS,
  FORM_INPUTS,
  type Input,
  JSON_INPUTS,
  MESSAGE_INPUTS,
  OPENAPI_INPUTS,
  TEXT_INPUTS,
  YAML_INPUTS,
} from './inputs.ts'
import { MULTIPART_INPUTS, MULTIPART_TYPE } from './multipart-inputs.ts'
import { PLAIN_INPUTS } from './plain-inputs.ts'
import { senderSurfaces } from './sender-inputs.ts'

export interface Surface {
  name: string
  /** Who can send input to this surface. */
  who: 'anybody' | 'a sender' | 'a reader' | 'an editor' | 'an owner' | 'an API' | 'a flow'
  inputs: readonly Input[]
  /** The largest size within the limit there; larger input is refused unread. */
  most?: number
  /** Prepares the work, and returns a function that is measured. */
  prepare(text: string): Promise<() => unknown> | (() => unknown)
}

const TOKEN = 'worst-case-admin-token'

export async function openSurfaces(
  dataDir: string,
  port: number,
): Promise<{ surfaces: Surface[]; close(): Promise<void> }> {
  let reply = { type: 'application/json', body: '' }
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': reply.type })
      response.end(reply.body)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as { port: number }).port}`
  const environment = {
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: String(port),
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_EGRESS_ALLOW: 'loopback',
    MILLRACE_LOG_LEVEL: 'error',
  }
  const app = await startApp(readConfig(environment), { write: () => {} })
  const base = `http://127.0.0.1:${port}`

  const send = async (
    path: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${TOKEN}`, ...headers },
      body,
    })
    return response.text()
  }
  const api = async (path: string, body: unknown) =>
    JSON.parse(await send(`/api/v1${path}`, 'application/json', JSON.stringify(body)))
  const read = async (path: string) =>
    (await fetch(`${base}/api/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
  const publish = async (steps: object[], more: object = {}): Promise<{ id: string; path: string }> => {
    const trigger = {
      kind: 'webhook',
      accept: ['application/json', 'application/x-www-form-urlencoded', 'text/*'],
      response: { mode: 'finished' },
      ...more,
    }
    const flow = await api('/flows', { name: 'Worst case', trigger, steps })
    await api(`/flows/${flow.id}/publish`, {})
    return { id: flow.id, path: new URL(flow.webhook.url).pathname }
  }
  await api('/connections', { name: 'api', kind: 'bearer', fields: { token: 'worst-case-secret' } })
  const auth = { kind: 'bearer', token: '{{ connections.api.token }}' }
  const keep = [{ id: 'keep', kind: 'set', vars: { it: '{{ webhook.body }}' } }]
  const keeps = await publish(keep)
  const asks = await publish([{ id: 'ask', kind: 'http', method: 'GET', url: upstreamUrl, auth }])
  const parses = await publish(keep, { accept: ['application/xml'], parse: 'xml', lists: WORST_LISTS })
  const uploads = await publish(keep, { accept: ['multipart/form-data'] })
  const asksXml = await publish([{ id: 'ask', kind: 'http', method: 'GET', url: upstreamUrl, response: { as: 'xml' } }])
  const codes = await publish([
    { id: 'code', kind: 'code', input: '{{ webhook.body }}', code: 'export default (input) => input' },
  ])
  const labeled = await publish([], { labels: WORST_LABELS })
  const long = await publish(manySteps())
  const run = JSON.parse(await send(long.path, 'application/json', '{}')).id as string
  const named = (inputs: readonly Input[], ...names: string[]) => inputs.filter(({ name }) => names.includes(name))
  const posts = (path: string, type: string, headers?: Record<string, string>) => (text: string) => () =>
    send(path, type, text, headers)
  const compressed = (encoding: string, compress: (text: string) => Promise<Buffer>): Surface => ({
    name: `webhook, ${encoding}`,
    who: 'a sender',
    inputs: named(
      JSON_INPUTS,
      'empty objects',
      'names that differ',
      'white space',
      'broken percent escapes',
      'marks like our own',
    ),
    async prepare(text) {
      const body = await compress(text)
      return () => send(keeps.path, 'application/json', new Uint8Array(body), { 'content-encoding': encoding })
    },
  })

  const surfaces: Surface[] = [
    {
      name: 'sign-in',
      who: 'anybody',
      inputs: JSON_INPUTS,
      most: 16_000,
      prepare: posts('/api/auth/sign-in/email', 'application/json'),
    },
    {
      name: 'sign-in, as YAML',
      who: 'anybody',
      inputs: YAML_INPUTS,
      most: 16_000,
      prepare: posts('/api/auth/sign-in/email', 'application/yaml'),
    },
    {
      name: 'webhook, read from the socket',
      who: 'a sender',
      inputs: PLAIN_INPUTS,
      prepare(text) {
        const bytes = Buffer.from(text)
        return () => readRequest(bytes, new Socket())
      },
    },
    { name: 'webhook, JSON', who: 'a sender', inputs: JSON_INPUTS, prepare: posts(keeps.path, 'application/json') },
    {
      name: 'webhook, form',
      who: 'a sender',
      inputs: FORM_INPUTS,
      prepare: posts(keeps.path, 'application/x-www-form-urlencoded'),
    },
    { name: 'webhook, XML', who: 'a sender', inputs: XML_INPUTS, prepare: posts(parses.path, 'application/xml') },
    { name: 'webhook, text', who: 'a sender', inputs: TEXT_INPUTS, prepare: posts(keeps.path, 'text/plain') },
    {
      name: 'webhook, multipart',
      who: 'a sender',
      inputs: [...MULTIPART_INPUTS, ...TEXT_INPUTS],
      prepare: posts(uploads.path, MULTIPART_TYPE),
    },
    compressed('gzip', promisify<string, Buffer>(gzip)),
    compressed('deflate', promisify<string, Buffer>(deflate)),
    compressed('br', promisify<string, Buffer>(brotliCompress)),
    {
      name: 'webhook, query',
      who: 'a sender',
      inputs: FORM_INPUTS,
      most: 12_000,
      prepare: (text) => () => send(`${keeps.path}?${text}`, 'application/json', '{}'),
    },
    {
      name: 'webhook, header',
      who: 'a sender',
      inputs: named(TEXT_INPUTS, 'broken percent escapes', 'backslashes', 'nearly the secret', 'escaped units'),
      most: 12_000,
      prepare: (text) => () =>
        send(keeps.path, 'application/json', '{}', { 'x-worst-case': text, 'x-forwarded-for': text }),
    },
    {
      name: 'test URL',
      who: 'a sender',
      inputs: JSON_INPUTS,
      prepare: posts(`${keeps.path}/test`, 'application/json'),
    },
    { name: 'code of a flow', who: 'a sender', inputs: JSON_INPUTS, prepare: posts(codes.path, 'application/json') },
    {
      name: 'validate',
      who: 'a reader',
      inputs: [...JSON_INPUTS, ...FLOW_INPUTS],
      prepare: posts('/api/v1/flows/validate', 'application/json'),
    },
    {
      name: 'validate, as YAML',
      who: 'a reader',
      inputs: YAML_INPUTS,
      prepare: posts('/api/v1/flows/validate', 'application/yaml'),
    },
    {
      name: 'connections',
      who: 'an editor',
      inputs: JSON_INPUTS,
      prepare: posts('/api/v1/connections', 'application/json'),
    },
    {
      name: 'MCP',
      who: 'a reader',
      inputs: JSON_INPUTS,
      prepare: posts('/api/mcp', 'application/json', { accept: 'application/json, text/event-stream' }),
    },
    ...(['application/json', 'text/plain'] as const).map(
      (type): Surface => ({
        name: `reply of an API, ${type}`,
        who: 'an API',
        inputs: type === 'application/json' ? JSON_INPUTS : TEXT_INPUTS,
        prepare: (body) => () => {
          reply = { type, body }
          return send(asks.path, 'application/json', '{}')
        },
      }),
    ),
    {
      name: 'reply of an API, as XML',
      who: 'an API',
      inputs: named(
        XML_INPUTS,
        'empty elements',
        'elements that differ',
        'entities',
        'texts with entities',
        'comments',
      ),
      prepare: (body) => () => {
        reply = { type: 'application/xml', body }
        return send(asksXml.path, 'application/json', '{}')
      },
    },
    {
      name: 'list of deliveries',
      who: 'a reader',
      inputs: named(JSON_INPUTS, 'empty objects', 'names that differ', 'broken percent escapes', 'secrets'),
      async prepare(text) {
        const { id, path } = await publish([])
        for (let i = 0; i < 5; i++) await send(path, 'application/json', text)
        return () => read(`/flows/${id}/deliveries?limit=5`)
      },
    },
    {
      name: 'a run',
      who: 'a reader',
      inputs: named(JSON_INPUTS, 'empty objects', 'names that differ', 'broken percent escapes', 'secrets'),
      async prepare(text) {
        const { id } = JSON.parse(await send(keeps.path, 'application/json', text)) as { id: string }
        return () => read(`/runs/${id}`)
      },
    },
    {
      name: 'expressions',
      who: 'a flow',
      inputs: [...EXPRESSION_INPUTS, ...FORMAT_EXPRESSIONS],
      // The grammar of these inputs is the expression.
      prepare: () => () => {},
    },
    {
      name: 'cookies of redirects',
      who: 'an API',
      inputs: COOKIE_INPUTS,
      most: 64_000,
      prepare: (text) => () => keepCookies(text),
    },
    { name: 'input of a call', who: 'a sender', inputs: CALL_INPUTS, prepare: checksInput },
    {
      name: 'challenge',
      who: 'an API',
      inputs: CHALLENGE_INPUTS,
      most: 65_536,
      prepare: (text) => () => chooseChallenge(text),
    },
    { name: 'cURL import', who: 'an editor', inputs: CURL_INPUTS, prepare: (text) => () => parseCurl(text) },
    {
      name: 'cause of a failure',
      who: 'a flow',
      inputs: MESSAGE_INPUTS,
      prepare: (text) => () => normalMessage(text, ['api.example.com']),
    },
    {
      name: 'the text of an approval',
      who: 'a sender',
      inputs: MARKDOWN_INPUTS,
      prepare: (text) => () => renderMarkdown(text),
    },
    ...senderSurfaces,
    ...deskSurfaces({ labeled: labeled.path, run, read, post: (path) => posts(path, 'application/json') }),
    { name: 'OpenAPI import', who: 'an editor', inputs: OPENAPI_INPUTS, prepare: (text) => () => importAll(text) },
  ]
  return {
    surfaces,
    async close() {
      await app.stop()
      upstream.close()
    },
  }
}

/** Evaluates an expression on a text. */
export function evaluates(expression: string, text: string): () => void {
  const template = parseTemplate(`{{ ${expression} }}`)
  const bindings = {
    roots: Object.assign(Object.create(null), { vars: { t: text } }),
    now: '',
    uuid: '',
    sha256: () => '',
    hmacSha256: () => '',
    hmacSha512: () => '',
  } as Bindings
  return () => {
    try {
      renderValue(template, bindings)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
    }
  }
}

/** Keeps one `Set-Cookie` per line, all of them on one redirect. */
function keepCookies(text: string): void {
  const jar = new CookieJar()
  const url = new URL('https://api.example.com/a/b')
  jar.keep(url, text.split('\n'), 0)
  jar.addTo({ url, method: 'GET', headers: [{ name: 'Cookie', value: text, credential: true }], body: null }, 0)
}

function importAll(text: string): void {
  try {
    const api = readOpenApi(text)
    for (const operation of api.operations.slice(0, 1)) importOperation(api, operation)
  } catch (error) {
    if (!(error instanceof OpenApiError)) throw error
  }
}
