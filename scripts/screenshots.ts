// Takes the pictures of README.md and of the guide: fills a new Millrace with flows and runs, and shows it to Chromium, in light
// and dark. Run it after a change of the pages: node scripts/screenshots.ts
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
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
const sample = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ORDER) }
await fetch(`${millrace.url}${new URL(flow.webhook.url).pathname}/test`, sample)
await millrace.api('POST', `/flows/${flow.id}/steps/customer/test`, {})
await millrace.api('POST', '/connections', {
  name: 'shop',
  kind: 'bearer',
  fields: { token: 'a-token-of-the-shop' },
  hosts: [new URL(address).host],
})

const PICTURES: Record<string, (page: Page) => Promise<unknown>> = {
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

for (const colorScheme of ['light', 'dark'] as const) {
  const context = await browser.newContext({
    baseURL,
    viewport: SIZE,
    colorScheme,
    reducedMotion: 'reduce',
    storageState,
  })
  const page = await context.newPage()
  for (const [name, show] of Object.entries(PICTURES)) {
    await show(page)
    await page.waitForLoadState('networkidle')
    await page.evaluate('document.fonts.ready')
    const session = await context.newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    writeFileSync(join(FOLDER, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
  await context.close()
}
await browser.close()
await millrace.stop()
await upstream.close()
