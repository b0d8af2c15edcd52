// Prepares what a reader has after the earlier pages of the guide: a server with flows and runs, files, variables.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseFlowText } from '../../src/flow/flow-text.ts'
import { freePort } from './free-port.ts'
import { type Block, blocksOf } from './guide-page.ts'
import { type Millrace, startMillrace, temporaryFolder } from './millrace.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The token of the guide. */
const TOKEN = 'choose-a-long-token'
const SIGNING_SECRET = 'the-signing-secret'

export interface Reader {
  base: string
  /** The folder in which the commands run. */
  folder: string
  /** A folder that stands for the root of the file system. */
  fileSystem: string
  port: number
  otherPort: number
  shopPort: number
  /** The ids of a run that has ended, of one that waits, and of an API token. */
  runId: string
  waitingRunId: string
  tokenId: string
  /** The ids of a failure, and of a paused job that replays its runs. */
  failureId: string
  replayId: string
  deliveryId: string
  alertId: string
  approvalId: string
  environment: Record<string, string>
  /** Commands that run before each block. */
  starts: string[]
  /** Calls the API of the server that ran before the commands, to see their effects. Null if the page starts its own. */
  ask: ((path: string) => Promise<unknown>) | null
  stop(): Promise<void>
}

/** Enough that a job at the slowest pace is still under way when a reader cancels it. */
const REFUSED = 30

/** Pages that start a server themselves, or need none. */
const STARTING = ['README.md', 'CONTRIBUTING.md', 'docs/quick-start.md', 'docs/scale.md']

export async function createReader(page: string, blocks: readonly Block[], upstreamUrl: string): Promise<Reader> {
  const base = temporaryFolder()
  const [folder, fileSystem] = [join(base, 'folder'), join(base, 'file-system')]
  const reader: Reader = {
    base,
    folder,
    fileSystem,
    port: await freePort(),
    otherPort: await freePort(),
    shopPort: await freePort(),
    runId: '',
    waitingRunId: '',
    tokenId: '',
    failureId: '',
    replayId: '',
    deliveryId: '',
    alertId: '',
    approvalId: '',
    environment: {},
    starts: blocks.map(() => ''),
    ask: null,
    async stop() {
      rmSync(base, { recursive: true, force: true })
    },
  }
  for (const path of ['var/lib', 'etc/systemd/system', 'backup', 'safe'])
    mkdirSync(join(fileSystem, path), { recursive: true })
  mkdirSync(folder)
  for (const name of ['dist', 'examples', 'package.json']) symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(import.meta.dirname, 'guide-bin/node'), join(folder, 'node_modules/.bin/node'))
  if (page === 'docs/deploy.md') cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true })

  if (STARTING.includes(page)) {
    reader.environment['MILLRACE_PORT'] = String(reader.port)
    // This page moves the embedded database to PostgreSQL.
    if (page === 'docs/scale.md')
      await (await startMillrace({ MILLRACE_DATA_DIR: join(fileSystem, 'var/lib/millrace') })).stop()
    return reader
  }
  const server = await startMillrace({
    MILLRACE_DATA_DIR: join(base, 'data'),
    MILLRACE_PORT: String(reader.port),
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_LOG_LEVEL: 'info',
    MILLRACE_ENV_WEBHOOK_TOKEN: 'the-secret-value',
    MILLRACE_ENV_SIGNING_SECRET: SIGNING_SECRET,
    MILLRACE_VAR_SHOP_URL: upstreamUrl,
    MILLRACE_ENV_SHOP_TOKEN: 'any-token',
    MILLRACE_ENV_ALERT_URL: `${upstreamUrl}/alerts`,
    MILLRACE_SMTP_URL: 'smtp://127.0.0.1:9',
    MILLRACE_SMTP_FROM: 'millrace@example.com',
  })
  const { stop } = reader
  reader.stop = async () => {
    await server.stop()
    await stop()
  }
  reader.ask = async (path) => (await server.api('GET', path, undefined, { authorization: `Bearer ${TOKEN}` })).body
  await prepare(server, page, blocks, reader, upstreamUrl)
  return reader
}

interface Flow {
  id: string
  revision: number
  webhook: { url: string }
}

async function prepare(
  server: Millrace,
  page: string,
  blocks: readonly Block[],
  reader: Reader,
  upstreamUrl: string,
): Promise<void> {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await server.api(method, path, body, { authorization: `Bearer ${TOKEN}` })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const publish = async (document: object): Promise<Flow> => {
    const flow = await call('POST', '/flows', document)
    await call('POST', `/flows/${flow.id}/publish`)
    return flow
  }
  const post = async (url: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{ id: string }>
  }
  const example = (name: string) => parseFlowText(read(`examples/${name}.yaml`)) as object

  const hello = await publish(example('hello'))
  const orders = await publish({ ...example('order-alert'), name: 'Order alerts' })
  await publish({ ...example('make-invoice'), name: 'Bill an order', slug: 'bill-an-order' })
  await publish({ ...example('hello'), name: 'Old orders' })
  const { id } = await post(orders.webhook.url, { order: { id: 7 } })
  // This run fails, because there is no order.
  await post(orders.webhook.url, {})
  reader.runId = id
  reader.tokenId = (await call('POST', '/tokens', { name: 'old', scope: 'read' })).id
  const patient = await publish({
    name: 'Patient',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'pause', kind: 'wait', seconds: 600 }],
  })
  reader.waitingRunId = (await post(patient.webhook.url, {})).id
  // The other pages create it themselves.
  if (page === 'docs/cli.md') {
    await call('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: 's3cret' } })
    const step = { id: 'refuse', kind: 'fail', message: 'Refused.' }
    const refusing = { name: 'Refusing', trigger: { kind: 'webhook' }, steps: [step] }
    const refused = await publish(refusing)
    for (let n = 0; n < REFUSED; n++) await post(refused.webhook.url, {})
    for (let count = 0; count < REFUSED; ) {
      const [failure] = (await call('GET', `/failures?flow=${refused.id}`)).items
      count = failure?.count ?? 0
      reader.failureId = failure?.id ?? ''
    }
    // The published version is fixed, so a replay on it succeeds.
    await call('PUT', `/flows/${refused.id}`, {
      ...refusing,
      steps: [{ id: 'refuse', kind: 'set', vars: { ok: true } }],
    })
    await call('POST', `/flows/${refused.id}/publish`)
    const guarded = await publish({
      name: 'Guarded',
      trigger: {
        kind: 'webhook',
        auth: { kind: 'header', name: 'x-token', value: '{{ env.WEBHOOK_TOKEN }}' },
        inbox: { keepRejected: true },
      },
      steps: [{ id: 'note', kind: 'set', vars: { ok: true } }],
    })
    await post(guarded.webhook.url, {})
    const stripe = { name: 'stripe', secret: '{{ env.WEBHOOK_TOKEN }}' }
    await publish({ name: 'Payments', trigger: { kind: 'webhook', sender: stripe }, steps: [] })
    const target = { kind: 'webhook', url: `${upstreamUrl}/alerts` }
    reader.alertId = (await call('POST', '/alerts', { rule: 'recovered', target })).id
    reader.deliveryId = (await call('GET', `/deliveries?flow=${guarded.id}`)).items[0].id
    const asking = await publish({
      name: 'Refunds',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'ask', kind: 'wait', approval: { title: 'Refund it?', fields: [{ name: 'reason' }] } }],
    })
    await post(asking.webhook.url, {})
    while (reader.approvalId === '') reader.approvalId = (await call('GET', '/approvals')).items[0]?.id ?? ''
    reader.replayId = (await call('POST', '/replays', { filter: { failure: reader.failureId }, pace: 1 })).id
    await call('POST', `/replays/${reader.replayId}/pause`)
  }
  const code = /setup#code=([\w-]+)/.exec(server.log())![1]!
  // The page on the API creates the first owner itself.
  if (page !== 'docs/api.md')
    await post(`${server.url}/api/auth/setup`, {
      code,
      email: 'ada@example.com',
      name: 'Ada',
      password: 'correct horse battery',
    })
  await writeFiles(server, page, reader)
  for (const [name, flow] of Object.entries({ hello, orders }))
    await call('PUT', `/flows/${flow.id}/source`, { source: 'flows', path: `${name}.yaml`, revision: flow.revision })

  Object.assign(reader.environment, {
    MILLRACE_DATA_DIR: server.dataDir,
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_EGRESS_ALLOW: 'loopback',
    // The port of servers that the commands start.
    MILLRACE_PORT: String(reader.otherPort),
    TOKEN,
    API: `http://localhost:${reader.port}/api/v1`,
    AUTH: `Authorization: Bearer ${TOKEN}`,
    ID: hello.id,
    URL: hello.webhook.url,
    CODE: code,
    SIGNING_SECRET,
    NEW_PASSWORD: 'correct horse stable',
    CRM_PASSWORD: 'the-password',
    HELLO_KEY: 'the-key',
    KEY: readFileSync(join(server.dataDir, 'secret.key'), 'utf8').trim(),
    'BASH_FUNC_field%%': `() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }`,
    GUIDE_DATA_DIR: server.dataDir,
    GUIDE_TAIL_URL: orders.webhook.url,
  })
  for (const [i, block] of blocks.entries()) {
    if (blocks[i - 1]?.flow) reader.starts[i] = 'ID=$given_id URL=$given_url'
    const flow = block.flow && (await publish(block.flow))
    if (flow) reader.starts[i] += `\ngiven_id=$ID given_url=$URL\nID=${flow.id} URL=${flow.webhook.url}`
  }
}

/** Writes the files that the pages mention: flows in a folder, payloads, a backup with its key. */
async function writeFiles(server: Millrace, page: string, { folder, fileSystem }: Reader): Promise<void> {
  const write = (path: string, text: string | Buffer) => writeFileSync(join(folder, path), text)
  mkdirSync(join(folder, 'flows/shop'), { recursive: true })
  for (const [name, example] of Object.entries({ hello: 'hello', orders: 'order-alert' }))
    for (const ending of ['yaml', 'test.yaml']) {
      const text = read(`examples/${example}.${ending}`)
      write(`flows/${name}.${ending}`, text.replace('name: Order alert\n', 'name: Order alerts\n'))
    }
  if (page === 'docs/flows-as-files.md')
    write('flows/shop/refunds.yaml', 'name: Refunds\ntrigger: { kind: webhook }\nsteps: []\n')
  if (page === 'docs/operating.md') writeTracing(`${folder}-otel`)
  write('token', TOKEN)
  write('copied.txt', "curl 'https://api.example.com/orders' -H 'X-Trace: 7'")
  write('shop.yaml', SHOP)
  write('order.json', '{"order": {"id": 7}}')
  write('shop-token.txt', 's3cret-token\n')
  write('client.pem', read('src/outbound/certificates.testkit/localhost.pem'))
  write('client.key', read('src/outbound/certificates.testkit/key.pem'))
  const headers = { authorization: `Bearer ${TOKEN}` }
  const backup = await fetch(`${server.url}/api/v1/backup`, { method: 'POST', headers })
  write('millrace-2026-11-15.db', Buffer.from(await backup.arrayBuffer()))
  cpSync(join(folder, 'millrace-2026-11-15.db'), join(fileSystem, 'backup/millrace-2026-11-01.db'))
  for (const path of [join(folder, 'secret.key'), join(fileSystem, 'safe/secret.key')])
    cpSync(join(server.dataDir, 'secret.key'), path)
}

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
servers: [{ url: https://api.example.com }]
paths:
  /orders:
    post: { operationId: createOrder, responses: {} }
  /orders/{id}:
    get: { parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: {} }
`

/** Writes the page's own module for tracing, with an exporter that is installed here. */
function writeTracing(folder: string): void {
  const { text } = blocksOf(read('docs/operating.md')).find(({ language }) => language === 'js')!
  const exporter = /import \{ OTLPTraceExporter \} from .*/
  const console = "import { ConsoleSpanExporter as OTLPTraceExporter } from '@opentelemetry/sdk-trace-node'"
  mkdirSync(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'otel.mjs'), text.replace(exporter, console))
}
