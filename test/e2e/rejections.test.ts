import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'
import { scrape } from '../harness/scrape.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

const rejected = (code: string) => `millrace_deliveries_total{outcome="rejected",code="${code}"}`

it.each([
  ['refused deliveries', 400, 'bad_request'],
  ['deliveries to a flow that is not published', 404, 'webhook_not_found'],
])(
  'keeps some of a flood of %s, counts all of them, and quotes little of what they brought',
  async (_what, refusal, code) => {
    const { flow } = await millrace.publish({ name: 'Flooded', trigger: { kind: 'webhook' }, steps: [] })
    if (refusal === 404) await millrace.api('POST', `/flows/${flow.id}/unpublish`)
    const target = new URL(flow.webhook.url).pathname
    const bytes = requestBytes({ target, headers: [`Content-Type: text/${'x'.repeat(5_000)}`] })
    const connection = await connectRaw(millrace.port)
    connection.write(Buffer.concat(Array.from({ length: 200 }, () => bytes)))
    for (let i = 0; i < 200; i++) {
      const { status, body } = await connection.reply()
      expect(status).toBe(refusal)
      expect(body.message.length).toBeLessThan(300)
    }
    connection.socket.destroy()
    await expect.poll(async () => (await scrape(millrace)).get(rejected(code))).toBe(200)
    const { items } = (await millrace.api('GET', `/deliveries?flow=${flow.id}&limit=200`)).body
    expect(items.length).toBeGreaterThan(10)
    expect(items.length).toBeLessThan(200)
  },
)
