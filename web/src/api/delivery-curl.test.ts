import { describe, expect, it } from 'vitest'
import { parseCurl } from '../../../src/flow/curl/parse-curl.ts'
import { deliveryCurl, helloCurl } from './delivery-curl.ts'

const webhook = {
  body: {},
  headers: {
    host: 'shop.example.com',
    'content-type': 'application/json',
    'content-length': '21',
    'accept-encoding': 'gzip',
    'x-key': "it's [secret]",
  },
  query: { a: '2' },
  queryAll: { a: ['1', '2'], 'b c': ['ü'] },
  rawBody: `{"note":"it's $HOME"}`,
  metadata: { method: 'POST', path: '/api/v1/webhooks/abc' },
}

describe('a delivery as a curl command', () => {
  it('sends the same body, query and headers again', () => {
    const line = deliveryCurl(webhook, 'https://millrace.example.com/')
    const { settings } = parseCurl(line)!
    expect(settings).toMatchObject({
      method: 'POST',
      url: 'https://millrace.example.com/api/v1/webhooks/abc?a=1&a=2&b%20c=%C3%BC',
    })
    expect(line).toContain(`'x-key: it'\\''s [secret]'`)
    expect(line).toContain(`--data-raw '{"note":"it'\\''s $HOME"}'`)
  })

  it('leaves out what belongs to the connection', () => {
    const line = deliveryCurl(webhook, 'https://millrace.example.com')
    for (const name of ['host', 'content-length', 'accept-encoding']) expect(line).not.toContain(`${name}:`)
  })

  it('sends no body where none came', () => {
    expect(deliveryCurl({ ...webhook, rawBody: '' }, 'https://x.example')).not.toContain('--data')
  })

  it('begins with a small one, without options that puzzle', () => {
    expect(helloCurl('https://x.example/api/v1/webhooks/abc')).toBe(
      `curl https://x.example/api/v1/webhooks/abc \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"hello":"world"}'`,
    )
  })
})
