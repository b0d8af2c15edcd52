// Tests requests that no client sends by mistake: the answer has a message, and is never a fault of Millrace.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { sendRaw } from '../harness/raw-request.ts'

let millrace: Millrace

beforeAll(async () => {
  millrace = await startMillrace()
  // Loads the API: some of these end their side of the connection with the request, and get only what is said at once.
  await millrace.api('GET', '/flows')
})
afterAll(() => millrace.stop())

describe('a request that is hardly one', () => {
  it.each([
    'PRI *\r\n\r\n',
    'PRI /api/v1/flows HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'MKCOL /api/v1/flows HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'QUERY /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET *\r\n\r\n',
  ])('is refused with its request id: %j', async (bytes) => {
    const { status, headers, body } = await sendRaw(millrace.port, bytes)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body).toMatchObject({ status: 'error', requestId: headers.get('x-request-id') })
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(millrace.log()).not.toContain('a fault of Millrace')
  })

  it.each([{ toString: 1 }, 5, null, [], true])('is a flow with a step of the kind %j', async (kind) => {
    const document = { name: 'Odd', trigger: { kind: 'webhook' }, steps: [{ id: 'a', kind }] }
    expect((await millrace.api('POST', '/flows', document)).body.issues).toMatchObject([
      { path: '/steps/0/kind', code: 'wrong_type' },
    ])
    expect((await millrace.api('POST', '/flows/validate', document)).status).toBe(200)
    expect(millrace.log()).not.toContain('a fault of Millrace')
  })
})
