// Takes the pictures of README.md and of the guide: fills a new Millrace with flows and runs, and shows it to Chromium, in light
// and dark. Run it after a change of the pages: node scripts/screenshots.ts
// With a folder it takes every page there instead, in three sizes, to be looked at: node scripts/screenshots.ts <folder>
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chromium, type Page } from 'playwright-core'
import { DATABASE_FILE } from '../src/base/data-folder.ts'
import { durationBucket, NO_BUCKET, NO_CODE } from '../src/storage/rows/flow-counts.ts'
import { freePort } from '../test/harness/free-port.ts'
import { startMillrace } from '../test/harness/millrace.ts'
import { startUpstream } from '../test/harness/upstream.ts'
import { buildUi } from './build.mjs'
import { findChromium, HOW_TO } from './chromium.mjs'

const FOLDER = resolve(import.meta.dirname, '../docs/images')
const SIZE = { width: 1360, height: 850 }
const QUALITY = 82
const OWNER = { email: 'ada@example.com', name: 'Ada Byron', password: 'heron lamp granite tide' }
const UPSTREAM_PORT = 9000
const OUT_OF_STOCK = 'MILL-07'

const executablePath = findChromium()
if (!executablePath) throw new Error(HOW_TO)
if (!buildUi()) throw new Error('The web UI could not be built; see above.')

/** An API that takes its time, and has no stock of one article. */
const upstream = await startUpstream(({ url, headers }, response) => {
  const status = url.includes(OUT_OF_STOCK) ? 503 : url === '/me' && !headers.authorization ? 401 : 200
  setTimeout(
    () => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(status === 503 ? { error: 'no stock' } : { id: 'C-118', name: 'Ada Byron', stock: 12 }),
      )
    },
    60 + (url.length % 7) * 25,
  )
}, UPSTREAM_PORT)
/** As people write it. */
const address = `http://localhost:${UPSTREAM_PORT}`
const port = await freePort()
const millrace = await startMillrace({ MILLRACE_PORT: String(port), MILLRACE_LOG_LEVEL: 'info' })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

const ORDER = {
  id: 'SO-1042',
  customer: 'C-118',
  total: 248.5,
  items: Array.from({ length: 9 }, (_, i) => ({ sku: `MILL-${String(i + 1).padStart(2, '0')}`, quantity: i + 1 })),
}

const orders = {
  name: 'Order alerts',
  trigger: { kind: 'webhook' },
  steps: [
    { id: 'customer', kind: 'http', method: 'GET', url: `${address}/customers/{{ webhook.body.customer }}` },
    {
      id: 'large',
      kind: 'branch',
      cases: [
        {
          when: '{{ webhook.body.total > 100 }}',
          name: 'a large order',
          steps: [
            {
              id: 'stock',
              kind: 'loop',
              each: '{{ webhook.body.items }}',
              concurrency: 3,
              onError: 'continue',
              steps: [{ id: 'check', kind: 'http', method: 'GET', url: `${address}/stock/{{ loop.item.sku }}` }],
            },
            { id: 'settle', kind: 'wait', seconds: 1 },
          ],
        },
      ],
      otherwise: [{ id: 'small', kind: 'stop' }],
    },
    {
      id: 'summary',
      kind: 'code',
      input: '{{ steps.stock.errors }}',
      code: 'export default (errors) => ({ missing: errors.length })',
    },
    {
      id: 'tell',
      kind: 'http',
      method: 'POST',
      url: `${address}/messages`,
      body: { kind: 'json', value: { text: 'Order {{ webhook.body.id }}: {{ steps.summary.missing }} missing' } },
    },
  ],
}

const small = (name: string, steps: object[]) => ({ name, trigger: { kind: 'webhook' }, steps })
const call = (path: string) => ({ id: 'call', kind: 'http', method: 'GET', url: address + path })

const { flow, post } = await millrace.publish(orders)
for (let i = 0; i < 6; i++) await millrace.runEnded((await post({ ...ORDER, id: `SO-${1036 + i}` })).body.id)
const run = (await post(ORDER)).body.id as string
await millrace.runEnded(run)
for (const [name, path, count] of [
  ['Invoice paid', '/invoices', 14],
  ['New customer', '/customers/new', 9],
  ['Refund', `/stock/${OUT_OF_STOCK}`, 4],
  ['Weekly report', '/reports', 3],
] as const) {
  const published = await millrace.publish(small(name, [call(path)]))
  for (let i = 0; i < count; i++) await millrace.runEnded((await published.post({ n: i })).body.id)
}
await millrace.api('POST', '/flows', small('Sign-up checks', []))
countEarlierRuns()
const sample = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ORDER) }
await fetch(`${millrace.url}${new URL(flow.webhook.url).pathname}/test`, sample)
await millrace.api('POST', `/flows/${flow.id}/steps/customer/test`, {})
await millrace.api('POST', '/connections', {
  name: 'shop',
  kind: 'bearer',
  fields: { token: 'a-token-of-the-shop' },
  hosts: [new URL(address).host],
})

const refunds = await millrace.publish({
  name: 'Refund approval',
  trigger: { kind: 'webhook' },
  steps: [
    {
      id: 'ask',
      kind: 'http',
      method: 'POST',
      url: `${address}/messages`,
      body: { kind: 'json', value: { text: 'Refund {{ webhook.body.order }}? {{ callbacks.decision.url }}' } },
    },
    {
      id: 'decision',
      kind: 'wait',
      approval: {
        title: 'Refund {{ webhook.body.amount }} EUR to {{ webhook.body.name }}?',
        text: 'Order **{{ webhook.body.order }}** came back. Reason given: {{ webhook.body.reason }}.',
        answers: ['approve', 'reject'],
        fields: [{ name: 'note', label: 'Note to the customer' }],
        timeout: 172_800,
      },
    },
  ],
})
let asked = ''
for (const [order, name, amount, reason] of [
  ['SO-1033', 'Grace Hopper', 80, 'too small'],
  ['SO-1039', 'Edsger Dijkstra', 24, 'arrived late'],
] as const) {
  asked = (await refunds.post({ order, name, amount, reason })).body.id
  await millrace.runEnded(asked, ['waiting'])
}
const { callbacks } = (await millrace.api('GET', `/runs/${asked}`)).body

const failure = (await millrace.api('GET', '/failures')).body.items[0].id
const replay = (await millrace.api('POST', '/replays', { filter: { failure }, pace: 1 })).body.id
await millrace.api('POST', '/alerts', {
  rule: 'failures',
  count: 10,
  minutes: 5,
  target: { kind: 'webhook', url: 'https://chat.example.com/alerts' },
})

/** The day before, as if the flow had run all day: the counters alone, which the charts show. */
function countEarlierRuns(): void {
  const database = new DatabaseSync(join(millrace.dataDir, DATABASE_FILE))
  const add = database.prepare(
    'insert into flow_delta (flow_id, minute, counter, bucket, code, count) values (?,?,?,?,?,?)',
  )
  const minute = Math.floor(Date.now() / 60_000)
  for (let quarter = 1; quarter < 96; quarter++) {
    const at = minute - quarter * 15
    const runs = Math.round(11 + 8 * Math.cos((quarter - 12) / 15)) + (quarter % 3)
    const failed = quarter % 13 === 5 ? 2 + (quarter % 3) : 0
    add.run(flow.id, at, 'accepted', NO_BUCKET, NO_CODE, runs + failed)
    add.run(flow.id, at, 'succeeded', durationBucket(900 + quarter * 10), NO_CODE, runs)
    if (failed) add.run(flow.id, at, 'failed', durationBucket(400), 'http_5xx', failed)
    if (quarter % 29 === 4) add.run(flow.id, at, 'rejected', NO_BUCKET, NO_CODE, 3)
  }
  database.close()
}

const PICTURES: Record<string, (page: Page) => Promise<unknown>> = {
  async overview(page) {
    await page.goto('/overview')
    await page.getByRole('region', { name: 'Deliveries', exact: true }).locator('canvas').waitFor()
  },
  async editor(page) {
    await page.goto(`/flows/${flow.id}?step=customer`)
    await page.getByRole('tab', { name: /^Query/ }).waitFor()
    await page.getByRole('button', { name: 'Test step' }).click()
    await page.locator('[data-panel]').getByText('Ada Byron', { exact: false }).waitFor()
  },
  async run(page) {
    await page.goto(`/runs/${run}?step=large%2Fstock&tab=rounds`)
    await page.getByText('Failed first').waitFor()
  },
  async flows(page) {
    await page.goto('/flows')
    await page.getByRole('row').filter({ hasText: 'Weekly report' }).waitFor()
  },
  async connection(page) {
    await page.goto('/connections/shop')
    await page.getByRole('textbox', { name: 'URL' }).fill(`${address}/me`)
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('Ready', { exact: true }).waitFor()
  },
  async guide(page) {
    await page.goto('/docs/flows')
    await page.getByRole('combobox', { name: 'Search the guide' }).fill('retry')
    await page.getByRole('option').first().waitFor()
  },
}

const baseURL = `http://localhost:${port}`
const entrance = await browser.newContext({ baseURL })
const code = /\/setup#code=([\w-]+)/.exec(millrace.log())![1]!
const reply = await entrance.request.post('/api/auth/setup', { headers: { origin: baseURL }, data: { code, ...OWNER } })
if (!reply.ok()) throw new Error(`Millrace could not be set up: ${await reply.text()}`)
const storageState = await entrance.storageState()

/** Every page, by the name of its picture. */
const PAGES: Record<string, string> = {
  'sign-in': '/sign-in',
  overview: '/overview',
  flows: '/flows',
  'flow-new': '/flows/new',
  'flow-import': '/flows/import',
  'flow-build': `/flows/${flow.id}`,
  'flow-step': `/flows/${flow.id}?step=customer`,
  'flow-trigger': `/flows/${flow.id}?trigger=true`,
  'flow-publish': `/flows/${flow.id}?publish=true`,
  'flow-yaml': `/flows/${flow.id}?view=yaml`,
  'flow-runs': `/flows/${flow.id}/runs`,
  'flow-inbox': `/flows/${flow.id}/inbox`,
  'flow-versions': `/flows/${flow.id}/versions`,
  'flow-settings': `/flows/${flow.id}/settings`,
  'flow-stats': `/flows/${flow.id}/stats`,
  runs: '/runs',
  run: `/runs/${run}`,
  'run-rounds': `/runs/${run}?step=large%2Fstock&tab=rounds`,
  'run-waiting': `/runs/${asked}`,
  approvals: '/approvals',
  approval: new URL(callbacks[0].url).pathname,
  failures: '/failures',
  failure: `/failures/${failure}`,
  replay: `/replays/${replay}`,
  inbox: '/inbox',
  connections: '/connections',
  'connection-new': '/connections/-new',
  connection: '/connections/shop',
  'settings-profile': '/settings/profile',
  'settings-users': '/settings/users',
  'settings-tokens': '/settings/tokens',
  'settings-keys': '/settings/keys',
  'settings-audit': '/settings/audit',
  'settings-alerts': '/settings/alerts',
  'settings-failures': '/settings/failures',
  'settings-service': '/settings/service',
  'not-found': '/nowhere',
}
const SIZES = { 1440: 900, 768: 1024, 390: 844 }

async function open(colorScheme: 'light' | 'dark', viewport: typeof SIZE): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport, colorScheme, reducedMotion: 'reduce', storageState })
  return context.newPage()
}

async function take(page: Page, file: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready')
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  writeFileSync(file, Buffer.from(data, 'base64'))
}

const everyPageTo = process.argv[2]
for (const colorScheme of ['light', 'dark'] as const)
  if (everyPageTo === undefined) {
    const page = await open(colorScheme, SIZE)
    for (const [name, show] of Object.entries(PICTURES)) {
      await show(page)
      await take(page, join(FOLDER, `${name}-${colorScheme}.webp`))
    }
    await page.context().close()
  } else {
    mkdirSync(everyPageTo, { recursive: true })
    for (const [width, height] of Object.entries(SIZES)) {
      const page = await open(colorScheme, { width: Number(width), height })
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(path)
        await take(page, join(everyPageTo, `${name}-${width}-${colorScheme}.webp`))
      }
      await page.context().close()
    }
  }
await browser.close()
await millrace.stop()
await upstream.close()
