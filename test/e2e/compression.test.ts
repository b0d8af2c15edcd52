// Tests which replies are compressed: docs/api.md
import { get, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type Managed, startManaged } from '../harness/management.ts'
import { TOKEN } from '../harness/millrace.ts'

let managed: Managed
beforeAll(async () => {
  managed = await startManaged()
  for (let i = 0; i < 20; i++) await managed.create([], {}, `Flow ${i}`)
})
afterAll(() => managed.stop())

const ask = (path: string, accepted: string | null) =>
  new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      ...(accepted !== null && { 'accept-encoding': accepted }),
    }
    get(`${managed.millrace.url}${path}`, { headers }, async (response) => {
      resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()) })
    }).on('error', reject)
  })

describe('replies of the API', () => {
  it('are compressed as the client accepts it', async () => {
    const plain = await ask('/api/v1/flows', null)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const brotli = await ask('/api/v1/flows', 'gzip, deflate, br')
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body)
    const gzip = await ask('/api/v1/flows', 'gzip, br;q=0')
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body)).toEqual(plain.body)
    for (const { headers, body } of [plain, brotli, gzip]) {
      expect(headers.vary).toBe('accept-encoding')
      expect(Number(headers['content-length'])).toBe(body.length)
    }
  })

  it('stay as they are when they are short, or files to save', async () => {
    const short = await ask('/api/v1/flows?limit=1&draft=false', 'br')
    expect(short.headers['content-encoding']).toBeUndefined()
    const { post } = await managed.millrace.publish(
      documentOf([{ id: 'big', kind: 'set', vars: { v: '{{ webhook.body }}' } }]),
    )
    const run = (await post({ text: 'x'.repeat(300_000) })).body.id
    await managed.millrace.runEnded(run)
    const file = await ask(`/api/v1/runs/${run}/steps/part?path=big&part=output`, 'br')
    expect(file.headers['content-disposition']).toContain('attachment')
    expect(file.headers['content-encoding']).toBeUndefined()
    expect(file.body.length).toBeGreaterThan(300_000)
  })

  it('of webhooks are never compressed', async () => {
    const response = { mode: 'finished', body: { text: 'y'.repeat(5000) } }
    const { post } = await managed.millrace.publish(documentOf([], { response }))
    const { headers, status } = await post({})
    expect(status).toBe(200)
    expect(headers.get('content-encoding')).toBeNull()
  })
})
