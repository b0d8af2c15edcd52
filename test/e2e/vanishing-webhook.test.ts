import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { connectRaw } from '../harness/raw-request.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

describe('a delivery whose webhook goes while its body is on the way', () => {
  it.each([
    ['deleted', (id: string) => millrace.api('DELETE', `/flows/${id}`)],
    ['unpublished', (id: string) => millrace.api('POST', `/flows/${id}/unpublish`)],
    ['given another URL', (id: string) => millrace.api('POST', `/flows/${id}/webhook/regenerate`)],
  ])('is refused when the flow is %s', async (_what, end) => {
    const { flow } = await millrace.publish({ name: 'f', trigger: { kind: 'webhook' }, steps: [] })
    const connection = await connectRaw(millrace.port)
    // "100 Continue" says that the head was accepted.
    connection.write(
      `POST /api/v1/webhooks/${flow.webhook.id} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
    )
    expect((await connection.reply()).status).toBe(100)
    await end(flow.id)
    connection.write('{}')
    expect(await connection.reply()).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } })
    connection.socket.destroy()
    expect((await millrace.api('GET', `/runs?flow=${flow.id}`)).body.items).toEqual([])
  })
})
