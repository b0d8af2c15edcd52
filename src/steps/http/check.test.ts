import { describe, expect, it } from 'vitest'
import { checkHttp } from './check.ts'

const get = { method: 'GET', url: 'https://api.example.com/' }
const codes = (settings: object) =>
  checkHttp({ ...get, ...settings }).map(({ path, code, warning }) => `${path} ${code}${warning ? ' (warning)' : ''}`)

describe('check', () => {
  it('finds nothing in a sound request', () => {
    expect(
      codes({
        headers: [{ name: 'X-A', value: '1' }],
        query: [{ name: 'q', value: 'a b' }],
        auth: { kind: 'bearer', token: 't' },
      }),
    ).toEqual([])
    expect(codes({ method: 'POST', body: { kind: 'json', value: {} } })).toEqual([])
  })

  it.each(['https://a/b c', 'https://user:pw@a/', 'ftp://a/', 'example.com', 'https://a:99999/', 'https://a/\r\n'])(
    'refuses the URL %j',
    (url) => expect(codes({ url })).toEqual(['/url invalid_url']),
  )

  it('leaves templates, what is missing and what is empty to others', () => {
    const template = '{{ webhook.body.x }}'
    expect(
      codes({
        url: template,
        headers: [{ name: template, value: `${template}\n` }],
        query: [{ name: template, value: '1' }],
      }),
    ).toEqual([])
    expect(checkHttp({})).toEqual([])
    expect(
      codes({ url: '', headers: [{ name: '', value: '' }, null, 3], query: 'x', auth: 7, body: undefined }),
    ).toEqual([])
  })

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'a b', 'a\r\nb'])(
    'refuses the header name %j',
    (name) =>
      expect(
        codes({
          headers: [
            { name: 'X', value: '1' },
            { name, value: '1' },
          ],
        }),
      ).toEqual(['/headers/1/name invalid_header']),
  )

  it.each(['a\r\nb', 'a\0', '漢'])('refuses the header value %j', (value) =>
    expect(codes({ headers: [{ name: 'X', value }] })).toEqual(['/headers/0/value invalid_header']),
  )

  it('refuses line breaks in the query, and a refused header as API key', () => {
    expect(codes({ query: [{ name: 'a', value: 'b\nc' }] })).toEqual(['/query/0/value invalid_url'])
    expect(codes({ auth: { kind: 'apiKey', name: 'Host', value: 'x', in: 'header' } })).toEqual([
      '/auth/name invalid_header',
    ])
    expect(codes({ auth: { kind: 'apiKey', name: 'Host', value: 'x', in: 'query' } })).toEqual([])
  })

  it('refuses a body with HEAD and warns about it with GET, DELETE and OPTIONS', () => {
    const body = { kind: 'text', value: 'x' }
    expect(codes({ method: 'HEAD', body })).toEqual(['/body body_not_allowed'])
    for (const method of ['GET', 'DELETE', 'OPTIONS'])
      expect(codes({ method, body })).toEqual(['/body unusual_body (warning)'])
    for (const method of ['POST', 'PUT', 'PATCH']) expect(codes({ method, body })).toEqual([])
  })

  it('warns where the authentication overrides a header', () => {
    const headers = [{ name: 'authorization', value: 'x' }]
    expect(codes({ headers, auth: { kind: 'bearer', token: 't' } })).toEqual([
      '/headers/0/name duplicate_header (warning)',
    ])
    expect(codes({ headers, auth: { kind: 'none' } })).toEqual([])
  })
})
