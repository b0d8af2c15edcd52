// Tests that every flow file in examples/ can be created from its YAML, published and called, and does as its comment says.
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatFlowYaml, parseFlowText } from '../src/flow/flow-text.ts'
import type { RunView } from '../src/operations/runs/read-runs.ts'
import { freePort } from './harness/free-port.ts'
import { type Answer, type Millrace, startMillrace, temporaryFolder } from './harness/millrace.ts'
import { type Received, startUpstream, type Upstream } from './harness/upstream.ts'

const folder = resolve(import.meta.dirname, '../examples')
const files = readdirSync(folder).filter((file) => /^[^.]+\.yaml$/.test(file))
const editors = JSON.parse(readFileSync(resolve(folder, '../docs/flow.schema.json'), 'utf8'))
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

/** Returns the text that is tested in place of the file's: a test must not wait for five seconds. */
const triedText = (file: string) =>
  file === 'retry.yaml' ? textOf(file).replace('kind: wait, seconds: 5 }', 'kind: wait, seconds: 0.2 }') : textOf(file)

let upstream: Upstream
let millrace: Millrace
let hello: Published
let ledgerIsOpen = true
const dataDir = temporaryFolder()

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const [status, type, body] = answerTo(request)
    response.writeHead(status, { 'content-type': type })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  // A webhook URL is known only once its flow exists; a flow that calls it needs it in the environment.
  millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
  hello = await publish('hello.yaml')
  await millrace.stop()
  const port = String(await freePort())
  millrace = await startMillrace({
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: port,
    MILLRACE_VAR_SHOP_URL: upstream.url,
    MILLRACE_ENV_SHOP_TOKEN: 'shop-token',
    MILLRACE_ENV_ALERT_URL: `${upstream.url}/alerts`,
    MILLRACE_VAR_GRAPHQL_URL: `${upstream.url}/graphql`,
    MILLRACE_ENV_GRAPHQL_TOKEN: 'graphql-token',
    MILLRACE_VAR_SOAP_URL: `${upstream.url}/soap`,
    MILLRACE_VAR_IMPORT_URL: `${upstream.url}/import`,
    MILLRACE_VAR_STOCK_URL: upstream.url,
    MILLRACE_VAR_LEDGER_URL: upstream.url,
    MILLRACE_VAR_API_URL: upstream.url,
    MILLRACE_ENV_API_TOKEN: 'expired-token',
    MILLRACE_VAR_AUTH_URL: `${upstream.url}/token`,
    MILLRACE_ENV_REFRESH_TOKEN: 'refresh-token',
    MILLRACE_VAR_REPORT_URL: `${upstream.url}/reports`,
    MILLRACE_ENV_ITEM_WEBHOOK_URL: `${upstream.url}/new-items`,
    MILLRACE_VAR_PRINT_URL: upstream.url,
    MILLRACE_ENV_PRINT_SECRET: 'print-secret',
    MILLRACE_VAR_MAIL_URL: `${upstream.url}/mail`,
    MILLRACE_ENV_SIGNING_SECRET: 'signing-secret',
    MILLRACE_ENV_STRIPE_SIGNING_SECRET: 'whsec_test',
    MILLRACE_ENV_META_APP_SECRET: 'app-secret',
    MILLRACE_ENV_META_VERIFY_TOKEN: 'verify-token',
    MILLRACE_VAR_WHATSAPP_URL: upstream.url,
    MILLRACE_ENV_WHATSAPP_TOKEN: 'whatsapp-token',
    MILLRACE_VAR_BUCKET_URL: upstream.url,
    MILLRACE_VAR_SHEET_URL: `${upstream.url}/sheet`,
    MILLRACE_ENV_NEXT_WEBHOOK_URL: `http://localhost:${port}${new URL(hello.url).pathname}`,
  })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const aws = { accessKeyId: 'AKID', secretAccessKey: 'an-example-key', region: 'eu-central-1', service: 's3' }
  const jwt = { privateKey: pem, algorithm: 'ES256', claims: { iss: 'robot' } }
  for (const [name, kind, fields] of [
    ['archive', 'aws', aws],
    ['sheets', 'jwt', jwt],
  ])
    expect((await millrace.api('POST', '/connections', { name, kind, fields })).status).toBe(201)
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'

function answerTo({ url, body, headers }: Received): [status: number, type: string, body: unknown] {
  switch (url) {
    case '/orders/7':
      return [200, JSON_TYPE, { total: 150 }]
    case '/orders/8':
      return [200, JSON_TYPE, { total: 20 }]
    case '/graphql':
      return JSON.parse(body).variables.id === 'c-1'
        ? [200, JSON_TYPE, { data: { customer: { name: 'Ada', orders: [{ total: 5 }, { total: 7 }] } } }]
        : [200, JSON_TYPE, { errors: [{ message: 'no such customer' }] }]
    case '/soap':
      return [
        200,
        'text/xml',
        '<soap:Envelope xmlns:soap="urn:s"><soap:Body><GetStockResponse><Pieces>12</Pieces></GetStockResponse></soap:Body></soap:Envelope>',
      ]
    case '/articles/A-100':
      return [200, JSON_TYPE, { pieces: 3 }]
    case '/articles/broken':
      return [500, JSON_TYPE, {}]
    case '/reports/2026-11':
      return headers.authorization === 'Bearer new-token'
        ? [200, JSON_TYPE, { sales: 9 }]
        : [401, JSON_TYPE, { error: 'expired' }]
    case '/token':
      return body === 'grant_type=refresh_token&refresh_token=refresh-token'
        ? [200, JSON_TYPE, { access_token: 'new-token' }]
        : [400, JSON_TYPE, {}]
    case '/orders/A%207.json':
    case '/sheet:append?valueInputOption=RAW':
      return [200, JSON_TYPE, {}]
    case '/prices/A-100':
      // The first request fails, and the later ones succeed.
      return upstream.received.filter((request) => request.url === url).length === 1
        ? [503, JSON_TYPE, {}]
        : [200, JSON_TYPE, { price: 4.5 }]
    case '/prices/A-200':
      return [200, JSON_TYPE, { price: 7 }]
    case '/offers/A-200':
      return [200, JSON_TYPE, { offer: 6 }]
    case '/articles/A-200':
      return [200, JSON_TYPE, { pieces: 9 }]
    case '/prices/broken':
      return [500, JSON_TYPE, {}]
    case '/articles?category=tools&page=1':
      return [200, JSON_TYPE, { items: ['hammer', 'saw'], has_more: true }]
    case '/articles?category=tools&page=2':
      return [200, JSON_TYPE, { items: ['drill'], has_more: true }]
    case '/articles?category=tools&page=3':
      return [200, JSON_TYPE, { items: ['pliers'], has_more: false }]
    case '/articles?category=none&page=1':
      return [200, JSON_TYPE, { items: [], has_more: false }]
    case '/stock-orders': {
      const { sku, pieces } = JSON.parse(body)
      return pieces > 0 ? [201, JSON_TYPE, { id: `order-of-${sku}` }] : [422, JSON_TYPE, { error: 'no pieces' }]
    }
    case '/invoices':
      return [201, JSON_TYPE, { id: 7 }]
    case '/entries':
      return [ledgerIsOpen ? 200 : 403, JSON_TYPE, {}]
    case '/items?sort=newest':
      return [200, JSON_TYPE, { items: [{ id: 1 }, { id: 2 }] }]
    case '/106540352242922/messages':
    case '/jobs':
    case '/mail':
    case '/refunds':
    case '/new-items':
    case '/alerts':
    case '/import':
    case '/lookups':
    case '/reports':
      return [200, JSON_TYPE, {}]
    default:
      return [404, JSON_TYPE, {}]
  }
}

interface Published {
  url: string
  flowId: string
  warnings: { code: string }[]
}

async function publish(file: string): Promise<Published> {
  const text = triedText(file)
  const created = await millrace.api('POST', '/flows', text, { 'content-type': 'application/yaml' })
  expect(created.body).toMatchObject({ draft: parseFlowText(text) })
  const published = await millrace.api('POST', `/flows/${created.body.id}/publish`)
  expect(published.body).toMatchObject({ version: 1 })
  return { url: created.body.webhook?.url ?? '', flowId: created.body.id, warnings: published.body.warnings }
}

interface Tried {
  flowId: string
  url: string
  send(body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a delivery that is acknowledged, and waits for its run. */
  run(body: unknown): Promise<RunView>
  /** Returns what the upstream received since the flow was published. */
  received(): Received[]
}

async function tryOut(file: string): Promise<Tried> {
  const { url, flowId, warnings } = await publish(file)
  expect(warnings.filter(({ code }) => code !== 'reveals_secret')).toEqual([])
  const before = upstream.received.length
  const send: Tried['send'] = async (body, headers = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: headers['content-type'] === XML_TYPE ? String(body) : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const run = async (body: unknown) => {
    const answer = await send(body)
    expect(answer.status).toBe(200)
    return millrace.runEnded(answer.body.id)
  }
  return { flowId, url, send, run, received: () => upstream.received.slice(before) }
}

const CASES: Record<string, (flow: Tried) => Promise<void>> = {
  async 'hello.yaml'({ run }) {
    const named = await run({ name: 'Ada' })
    expect(named).toMatchObject({ status: 'succeeded', vars: { greeting: 'Hello, Ada!' } })
    expect(named.vars['receivedAt']).toBe(named.webhook!.metadata.receivedAt)
    expect(await run({})).toMatchObject({ status: 'succeeded', vars: { greeting: 'Hello, world!' } })
  },

  async 'invoice-upload.yaml'({ url, received }) {
    const form = new FormData()
    form.append('number', 'A-1001')
    form.append('invoice', new Blob(['%PDF']), 'scan.pdf')
    const reply = await fetch(url, { method: 'POST', body: form })
    const sha256 = createHash('sha256').update('%PDF').digest('hex')
    expect(await reply.json()).toEqual({ booked: 7, sha256 })
    const [{ headers, body }] = received() as [Received]
    const sent = await new Response(body, { headers: { 'content-type': headers['content-type']! } }).formData()
    expect(sent.get('number')).toBe('A-1001')
    expect([(sent.get('document') as File).name, await (sent.get('document') as File).text()]).toEqual([
      'A-1001.pdf',
      '%PDF',
    ])
  },

  async 'nightly-report.yaml'({ flowId, received }) {
    const { id } = (await millrace.api('POST', `/flows/${flowId}/runs`, {})).body
    const run = await millrace.runEnded(id)
    expect(run).toMatchObject({ status: 'succeeded', trigger: { kind: 'schedule', manual: true } })
    const { at, previous } = run.schedule as { at: string; previous: string }
    expect(received().map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/reports', { report: 'daily', since: previous, until: at, missed: 0 }],
    ])
  },

  async 'poll-new-items.yaml'({ flowId, received }) {
    for (let poll = 0; poll < 2; poll++) {
      const { id } = (await millrace.api('POST', `/flows/${flowId}/runs`, {})).body
      expect((await millrace.runEnded(id)).status).toBe('succeeded')
    }
    const sent = received().filter(({ url }) => url === '/new-items')
    expect(sent.map(({ body }) => JSON.parse(body))).toEqual([{ id: 1 }, { id: 2 }])
  },

  async 'order-alert.yaml'({ run, received }) {
    expect((await run({ order: { id: 8 } })).status).toBe('succeeded')
    expect(received().map(({ method, url }) => [method, url])).toEqual([['GET', '/orders/8']])
    expect(received()[0]!.headers.authorization).toBe('Bearer shop-token')
    expect((await run({ order: { id: 7 } })).status).toBe('succeeded')
    expect(received()).toHaveLength(3)
    expect(received()[2]).toMatchObject({
      method: 'POST',
      url: '/alerts',
      body: '{"text":"Order 7 is worth 150.00"}',
    })
  },

  async 'graphql.yaml'({ run, received }) {
    expect(await run({ customer: 'c-1' })).toMatchObject({
      status: 'succeeded',
      vars: { customer: 'Ada', spent: 12 },
    })
    expect(received()[0]!.headers['content-type']).toBe('application/json')
    expect(JSON.parse(received()[0]!.body)).toEqual({
      query: expect.stringMatching(/^query Customer\(\$id: ID!\) \{\n/),
      variables: { id: 'c-1' },
    })
    expect(await run({ customer: 'c-2' })).toMatchObject({
      status: 'failed',
      error: { code: 'failed', step: 'give_up', message: 'The query was refused: no such customer' },
    })
  },

  async 'soap.yaml'({ run, received }) {
    expect(await run({ article: 'Nuts & <bolts>' })).toMatchObject({ status: 'succeeded', vars: { pieces: 12 } })
    const [request] = received()
    expect(request!.headers).toMatchObject({
      'content-type': 'text/xml; charset=utf-8',
      soapaction: '"urn:example:GetStock"',
    })
    expect(request!.body).toContain('<Article>Nuts &amp; &lt;bolts&gt;</Article>')
  },

  async 'xml-orders.yaml'({ send, received }) {
    const order = '<order id="17"><item sku="007">Nuts &amp; bolts</item></order>'
    const answer = await send(order, { 'content-type': XML_TYPE })
    const run = await millrace.runEnded(answer.body.id)
    expect(run).toMatchObject({
      status: 'succeeded',
      labels: { order: '17' },
      steps: [{ input: { body: 'sku,name\r\n007,Nuts & bolts\r\n' } }],
    })
    expect(received()[0]!.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/csv; charset=utf-8',
    })
    expect((await send(order, { 'content-type': XML_TYPE })).body.id).toBe(run.id)
  },

  async 'reply-from-a-step.yaml'({ flowId, send, received }) {
    const known = await send({ article: 'A-100' })
    expect(known.body).toEqual({ status: 'success', article: 'A-100', pieces: 3 })
    expect([known.status, known.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const [{ id }] = (await millrace.api('GET', `/runs?flow=${flowId}`)).body.items
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect(JSON.parse(received().at(-1)!.body)).toEqual({ article: 'A-100', run: id })

    const unknown = await send({ article: 'B-1' })
    expect([unknown.status, unknown.body.message]).toEqual([404, 'There is no article B-1'])
    const broken = await send({ article: 'broken' })
    expect(broken.status).toBe(502)
    expect(broken.body).toEqual({
      status: 'error',
      message: 'The stock could not be read: the stock API replied 500',
    })
    expect(received().filter(({ url }) => url === '/lookups')).toHaveLength(1)
  },

  async 'parallel-lookups.yaml'({ send, received }) {
    const found = await send({ sku: 'A-200' })
    expect(found).toMatchObject({ status: 200, body: { sku: 'A-200', pieces: 9, price: 7, offer: 6, missing: [] } })
    expect(received()).toHaveLength(3)
    const partly = await send({ sku: 'broken' })
    expect(partly.body).toMatchObject({ pieces: null, price: null, missing: ['stock', 'price', 'offer'] })
  },

  async 'idempotent-receiver.yaml'({ send, run, received }) {
    const answers = await Promise.all([send({ id: 'evt-1', amount: 12 }), send({ id: 'evt-1', amount: 12 })])
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toEqual({ status: 'success', message: 'Payment noted', id: expect.stringMatching(/^run_/) })
    }
    const runs = await Promise.all(answers.map(({ body }) => millrace.runEnded(body.id)))
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    const booked = runs.find(({ steps }) => steps.some(({ path }) => path === 'book'))!
    const skipped = runs.find(({ steps }) => steps.some(({ path }) => path === 'known/skip'))!
    expect(skipped.steps[0]).toMatchObject({ id: 'once', output: { added: false, value: booked.id } })
    expect(received()).toHaveLength(1)
    expect(received()[0]).toMatchObject({
      headers: { 'idempotency-key': 'evt-1' },
      body: '{"event":"evt-1","amount":12}',
    })
    expect((await run({ id: 'evt-2', amount: 1 })).status).toBe('succeeded')
    expect(received()).toHaveLength(2)

    ledgerIsOpen = false
    const refused = await run({ id: 'evt-3', amount: 1 })
    ledgerIsOpen = true
    expect(refused).toMatchObject({ status: 'failed', error: { step: 'book', status: 403 } })
    const replay = await millrace.api('POST', `/runs/${refused.id}/replay`, { from: 'book' })
    expect((await millrace.runEnded(replay.body.id)).status).toBe('succeeded')
    expect(JSON.parse(received().at(-1)!.body)).toEqual({ event: 'evt-3', amount: 1 })
    expect(received()).toHaveLength(4)
  },

  async 'retry.yaml'({ run, received }) {
    expect(parseFlowText(textOf('retry.yaml'))).toMatchObject({
      steps: [{}, { cases: [{ steps: [{ kind: 'wait', seconds: 5 }, { kind: 'http' }] }, {}] }, {}],
    })
    const mended = await run({ article: 'A-100' })
    expect(mended).toMatchObject({ status: 'succeeded', vars: { price: 4.5 } })
    const [ask, , pause, again] = mended.steps
    expect([ask, pause, again]).toMatchObject([
      { path: 'ask', output: { status: 503 } },
      { path: 'check/pause', kind: 'wait' },
      { path: 'check/again', output: { status: 200 } },
    ])
    expect(Date.parse(again!.startedAt!) - Date.parse(ask!.finishedAt!)).toBeGreaterThanOrEqual(200)
    expect(received()).toHaveLength(2)

    expect(await run({ article: 'A-200' })).toMatchObject({ status: 'succeeded', vars: { price: 7 } })
    expect(received()).toHaveLength(3)
    expect(await run({ article: 'broken' })).toMatchObject({
      status: 'failed',
      error: { code: 'http_500', step: 'again' },
    })
    expect(received()).toHaveLength(5)
    expect(await run({ article: 'unknown' })).toMatchObject({
      status: 'failed',
      error: { step: 'refused', message: 'The API replied 404' },
    })
    expect(received()).toHaveLength(6)
  },

  async 'pagination.yaml'({ run, received }) {
    expect((await run({ category: 'tools' })).status).toBe('succeeded')
    expect(received().map(({ url }) => url)).toEqual([
      '/articles?category=tools&page=1',
      '/articles?category=tools&page=2',
      '/articles?category=tools&page=3',
      '/reports',
    ])
    expect(JSON.parse(received()[3]!.body)).toEqual({
      category: 'tools',
      pages: 3,
      items: ['hammer', 'saw', 'drill', 'pliers'],
    })
    expect((await run({ category: 'none' })).status).toBe('succeeded')
    expect(JSON.parse(received()[5]!.body)).toEqual({ category: 'none', pages: 1, items: [] })
  },

  async 'batch.yaml'({ run, received }) {
    const items = [1, 2, 0, 3, 4, 0, 5].map((pieces, i) => ({ sku: `A-${i}`, pieces }))
    const { id, status } = await run({ items })
    expect(status).toBe('succeeded')
    const orders = received().filter(({ url }) => url === '/stock-orders')
    expect(orders.map(({ body }) => JSON.parse(body).sku as string).toSorted()).toEqual(items.map(({ sku }) => sku))
    expect(new Set(orders.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(items.map((_, i) => `${id}:orders[${i}]/order`)),
    )
    expect(received()).toHaveLength(8)
    const why = expect.stringMatching(/422/)
    expect(JSON.parse(received().at(-1)!.body)).toEqual({
      ordered: ['A-0', 'A-1', 'A-3', 'A-4', 'A-6'].map((sku) => ({ sku, order: `order-of-${sku}` })),
      failed: [
        { sku: 'A-2', why },
        { sku: 'A-5', why },
      ],
    })
    expect(await run({ items: [{ sku: 'B', pieces: 0 }] })).toMatchObject({
      status: 'failed',
      error: { step: 'give_up', message: 'All 1 orders failed' },
    })
    expect((await run({ items: [] })).status).toBe('succeeded')
  },

  async 'stripe-invoice.yaml'({ flowId, received }) {
    const send = (event: string) => millrace.api('POST', `/flows/${flowId}/send-sample`, { event, test: false })
    const { status, runId } = (await send('invoice.paid')).body
    expect(status).toBe(200)
    expect((await millrace.runEnded(runId)).status).toBe('succeeded')
    expect(received().map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/entries', { invoice: expect.any(String), amount: expect.any(Number), currency: expect.any(String) }],
    ])
    const { items } = (await millrace.api('GET', `/flows/${flowId}/deliveries?event=invoice.paid`)).body
    expect(items).toMatchObject([{ outcome: 'accepted', runId }])
  },

  async 'whatsapp.yaml'({ flowId, send, received }) {
    const { url } = (await millrace.api('GET', `/flows/${flowId}`)).body.webhook
    const ask = (token: string) => fetch(`${url}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`)
    expect(await (await ask('verify-token')).text()).toBe('1158201444')
    expect((await ask('another')).status).toBe(405)
    expect((await send({ object: 'page' })).status).toBe(401)
    const sample = { event: 'whatsapp_business_account.messages', test: false }
    const { runId } = (await millrace.api('POST', `/flows/${flowId}/send-sample`, sample)).body
    expect((await millrace.runEnded(runId)).status).toBe('succeeded')
    expect(received()[0]!.headers.authorization).toBe('Bearer whatsapp-token')
    expect(JSON.parse(received()[0]!.body)).toMatchObject({ messaging_product: 'whatsapp', type: 'text' })
  },

  async 'signature-verification.yaml'({ flowId, send, received }) {
    const body = { order: 7, note: 'naïve "quotes" 😀' }
    const signed = (secret: string) =>
      `sha256=${createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')}`
    const right = signed('signing-secret')
    const refused = [
      send(body),
      send(body, { 'x-signature': signed('another-secret') }),
      send(body, { 'x-signature': right.slice(0, -1) }),
      send(body, { 'x-signature': right.toUpperCase() }),
      send(body, { 'x-signature': right.slice('sha256='.length) }),
      send({ ...body, order: 8 }, { 'x-signature': right }),
    ]
    for (const answer of await Promise.all(refused)) {
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual({ status: 'error', message: 'Authentication failed' })
    }
    const failed = (await millrace.api('GET', `/runs?flow=${flowId}&status=failed`)).body.items
    expect(failed).toHaveLength(refused.length)
    for (const { error } of failed)
      expect(error).toMatchObject({
        code: 'code_failed',
        step: 'verify',
        message: expect.stringMatching(/^Error: The signature does not match\. \(line \d+, column \d+\)$/),
      })
    expect(received()).toEqual([])

    const accepted = await send(body, { 'X-Signature': right })
    expect(accepted.status).toBe(200)
    expect(accepted.body).toMatchObject({ status: 'success', message: 'Order received' })
    const run = await millrace.runEnded(accepted.body.id)
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ id: 'verify', output: { verified: true } }, {}, {}] })
    expect(JSON.stringify(run)).not.toContain('signing-secret')
    expect(received().map((request) => JSON.parse(request.body))).toEqual([body])
  },

  async 'dedupe.yaml'({ send, received }) {
    const [first, second] = await Promise.all([send({ id: 'evt-1', amount: 12 }), send({ id: 'evt-1', amount: 12 })])
    expect(first.body).toEqual({ status: 'success', message: 'Payment noted', id: expect.stringMatching(/^run_/) })
    expect(second.body).toEqual(first.body)
    expect((await millrace.runEnded(first.body.id)).status).toBe('succeeded')
    expect(received()).toHaveLength(1)
    expect(received()[0]).toMatchObject({
      headers: { 'idempotency-key': `${first.body.id}:book` },
      body: '{"event":"evt-1","amount":12}',
    })
  },

  async 'auth-refresh.yaml'({ run, received }) {
    expect(await run({ month: '2026-11' })).toMatchObject({ status: 'succeeded', vars: { report: { sales: 9 } } })
    expect(received().map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/reports/2026-11', 'Bearer expired-token'],
      ['/token', undefined],
      ['/reports/2026-11', 'Bearer new-token'],
    ])
    expect(await run({ month: '1999-01' })).toMatchObject({
      status: 'failed',
      error: { step: 'refused', message: 'The API replied 404' },
    })
  },

  async 'archive-orders.yaml'({ run, received }) {
    expect(await run({ id: 'A 7', total: 150 })).toMatchObject({ status: 'succeeded' })
    const [put, row] = received()
    expect(put).toMatchObject({ method: 'PUT', url: '/orders/A%207.json', body: '{"id":"A 7","total":150}' })
    expect(put!.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, /,
    )
    expect(JSON.parse(row!.body).values[0].slice(0, 2)).toEqual(['A 7', 150])
    expect(row!.headers.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
  },

  async 'make-invoice.yaml'({ flowId }) {
    const { body } = await millrace.api('POST', `/flows/${flowId}/runs?wait=20`, { input: { order: 'A-7' } })
    expect(body).toMatchObject({ status: 'succeeded', result: { invoice: 'A-7-1' } })
  },

  async 'print-job.yaml'({ send, received }) {
    const { id } = (await send({ file: 'poster.pdf' })).body
    await millrace.runEnded(id, ['waiting'])
    const { callback_url } = JSON.parse(received()[0]!.body)
    const call = (body: unknown) =>
      fetch(callback_url, {
        method: 'POST',
        headers: { 'content-type': JSON_TYPE, 'X-Print-Secret': 'print-secret' },
        body: JSON.stringify(body),
      })
    expect((await call({ state: 'printing' })).status).toBe(200)
    expect((await call({ state: 'done', pages: 4 })).status).toBe(200)
    expect(await millrace.runEnded(id)).toMatchObject({ status: 'succeeded', vars: { pages: 4 } })
  },

  async 'refund-approval.yaml'({ send, received }) {
    const { id } = (await send({ order: 7, amount: 80, customer: 'Ada' })).body
    await millrace.runEnded(id, ['waiting'])
    const [, url] = /: (.*)$/.exec(JSON.parse(received()[0]!.body).text)!
    expect(await (await fetch(url!)).text()).toContain('Refund 80 EUR to Ada?')
    expect((await fetch(url!, { method: 'POST', body: new URLSearchParams({ answer: 'approve' }) })).status).toBe(200)
    expect(await millrace.runEnded(id)).toMatchObject({ status: 'succeeded' })
    expect(JSON.parse(received().at(-1)!.body)).toEqual({ order: 7, by: 'link' })
  },

  async 'order-with-invoice.yaml'({ send }) {
    expect((await send({ id: 'A-8' })).body).toEqual({ invoice: 'A-8-2' })
  },

  async 'webhook-chaining.yaml'({ run }) {
    const { id, status, vars } = await run({ customer: { name: 'Ada' } })
    expect(status).toBe('succeeded')
    expect(await millrace.runEnded(String(vars['nextRun']))).toMatchObject({
      flowId: hello.flowId,
      status: 'succeeded',
      webhook: { body: { name: 'Ada', startedBy: id }, headers: { 'idempotency-key': `${id}:next` } },
      vars: { greeting: 'Hello, Ada!' },
    })
  },
}

describe('examples', () => {
  it('each have a case here, and each case a file', () => {
    expect(Object.keys(CASES).toSorted()).toEqual(files.toSorted())
  })

  it.each(files)('%s begins with a comment and loses nothing when it is formatted', (file) => {
    const text = textOf(file)
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/docs\/flow\.schema\.json\n# [A-Z]/)
    const document = parseFlowText(text)
    expect(parseFlowText(formatFlowYaml(document))).toEqual(document)
    expect(parseFlowText(JSON.stringify(document))).toEqual(document)
  })

  it.each(files)('%s has the shape that docs/flow.schema.json gives editors', (file) => {
    expect(Schema.Check(editors, parseFlowText(textOf(file)))).toBe(true)
  })

  it.each(files)('%s does what it says', async (file) => {
    await CASES[file]!(await tryOut(file))
  })
})
