// Tests bodies and replies of other formats than JSON, with the real client and real sockets.
import type { ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { OutboundHop } from '../../engine/ports/http-client.ts'
import type { StepContext, StepError } from '../../engine/step-kind.ts'
import { client, httpServer } from '../../outbound/servers.testkit.ts'
import { checkHttp } from './check.ts'
import { decodeBody } from './decode-body.ts'
import { http } from './http.ts'
import type { HttpSettings } from './settings.ts'

interface Seen {
  type: string | undefined
  encoding: string | undefined
  length: string | undefined
  bytes: Buffer
}

async function api(answer: (reply: ServerResponse) => void = (reply) => reply.end()) {
  const seen: Seen[] = []
  const server = await httpServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers } = request
    seen.push({
      type: headers['content-type'],
      encoding: headers['content-encoding'],
      length: headers['content-length'],
      bytes: Buffer.concat(chunks),
    })
    answer(reply)
  })
  return { ...server, seen }
}

async function run(settings: Partial<HttpSettings> & { url: string }, checked: string[] = []) {
  let input: unknown
  const context = {
    settings: { method: 'POST', timeout: 5, ...settings },
    runId: 'run_1',
    path: 'call',
    now: 0,
    hops: 0,
    interrupted: false,
    showInput: (shown: unknown) => {
      input = shown
    },
    holdsSecret: () => false,
    replyRoom: () => null,
    standing: () => null,
    http: client(),
    connections: { checkHost: (_: OutboundHop['url'], texts: () => Iterable<string>) => checked.push(...texts()) },
    signal: () => new AbortController().signal,
  } as unknown as StepContext<HttpSettings>
  const outcome = (await http.run(context)) as unknown as {
    output?: { body: unknown; status: number }
    error: StepError
  }
  return { ...outcome, input: input as { body: unknown; headers: { name: string; value: string }[] } }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a body', () => {
  it('of XML is written and escaped', async () => {
    const { origin, seen } = await api()
    const value = { order: { '@id': 7, note: 'Nuts & <bolts>', item: ['a', 'b'] } }
    const { input } = await run({ url: origin, body: { kind: 'xml', value } })
    const text =
      '<?xml version="1.0" encoding="UTF-8"?>\n<order id="7"><note>Nuts &amp; &lt;bolts&gt;</note><item>a</item><item>b</item></order>'
    expect(seen[0]).toMatchObject({ type: 'application/xml', bytes: Buffer.from(text) })
    expect(input.body).toBe(text)
  })

  it('is sent in the charset of its content type', async () => {
    const { origin, seen } = await api()
    const text = (value: string, contentType: string) =>
      run({ url: origin, body: { kind: 'text', value, contentType } })
    await text('é€', 'text/plain; charset=windows-1252')
    await text('é', 'text/csv; charset="ISO-8859-1"')
    await text('é😀', 'text/plain; charset=utf-16')
    await text('é', 'text/plain; charset=UTF-16BE')
    await text('ж', 'text/plain; charset=koi8-r')
    await text('é', 'text/plain; charset=UTF8')
    expect(seen.map(({ bytes }) => bytes.toString('hex'))).toEqual([
      'e980',
      'e9',
      'fffee9003dd800de',
      '00e9',
      'd6',
      'c3a9',
    ])
    const headers = [{ name: 'content-type', value: 'text/xml; charset=iso-8859-1' }]
    await run({ url: origin, headers, body: { kind: 'xml', value: { a: 'é€😀' } } })
    expect(seen.at(-1)!.bytes.toString('latin1')).toBe(
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>é&#8364;&#128512;</a>',
    )
  })

  it.each<[NonNullable<HttpSettings['body']>, string]>([
    [{ kind: 'xml', value: 'text' }, 'XML is made of an object with one key'],
    [{ kind: 'xml', value: { 'a b': 1 } }, 'a key is no name'],
    [{ kind: 'text', value: '€', contentType: 'text/plain; charset=iso-8859-1' }, 'a character is not in the charset'],
    [{ kind: 'text', value: 'a', contentType: 'text/plain; charset=shift_jis' }, 'cannot be written in the charset'],
  ])('that cannot be written fails the step, and nothing is sent: %j', async (body, message) => {
    const { origin, seen } = await api()
    const { error } = await run({ url: origin, body })
    expect(error).toMatchObject({ code: 'invalid_body', message: expect.stringContaining(message) })
    expect(seen).toEqual([])
  })

  it('is compressed, and still searched for secrets', async () => {
    const { origin, seen } = await api()
    const checked: string[] = []
    const headers = [{ name: 'content-encoding', value: 'none' }]
    const { input } = await run(
      { url: origin, headers, compress: 'gzip', body: { kind: 'text', value: 'secret é '.repeat(100) } },
      checked,
    )
    const [{ bytes, encoding, length }] = seen as [Seen]
    expect({ encoding, length: Number(length) }).toEqual({ encoding: 'gzip', length: bytes.length })
    expect(gunzipSync(bytes).toString()).toBe('secret é '.repeat(100))
    expect(checked).toContain('secret é '.repeat(100))
    expect(input.body).toBe('secret é '.repeat(100))
    await run({ url: origin, body: { kind: 'text', value: 'é', contentType: 'text/plain; charset=latin1' } }, checked)
    expect(checked).toContain('é')
  })
})

describe('a reply as XML', () => {
  const reply =
    (body: string | Buffer, type: string, status = 200) =>
    (response: ServerResponse) =>
      response.writeHead(status, { 'content-type': type }).end(body)

  it('is parsed whatever its type says, with lists where they are named', async () => {
    const { origin } = await api(reply('<a><b>007</b></a>', 'text/plain'))
    const read = await run({ url: origin, response: { as: 'xml', lists: ['a.b'] } })
    expect(plain(read.output!.body)).toEqual({ a: { b: ['007'] } })
    expect((await run({ url: origin })).output!.body).toBe('<a><b>007</b></a>')
  })

  it('is read in the charset that it names itself', async () => {
    const text = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'
    const { origin } = await api(reply(Buffer.from(text, 'latin1'), 'application/xml'))
    expect(plain((await run({ url: origin, response: { as: 'xml' } })).output!.body)).toEqual({ a: 'é' })
    expect((await run({ url: origin })).output!.body).toBe(text)
  })

  it('fails the step if it is none, and keeps the text', async () => {
    const { origin } = await api(reply('<a>\n<b></a>', 'application/xml'))
    const { error, output } = await run({ url: origin, response: { as: 'xml' } })
    expect(error).toMatchObject({
      code: 'response_invalid',
      message: expect.stringContaining('an end tag does not match its start tag (line 2, column 4)'),
    })
    expect(output).toMatchObject({ status: 200, body: '<a>\n<b></a>' })
  })

  it('leaves the reply of an error as it is, if that is no XML', async () => {
    const { origin } = await api(reply('{"a":1}', 'application/json', 500))
    const { error, output } = await run({ url: origin, response: { as: 'xml' } })
    expect(error.code).toBe('http_500')
    expect(output!.body).toEqual({ a: 1 })
  })
})

describe('the charset of a reply', () => {
  it.each<[string, Buffer, string]>([
    ['text/plain; charset=iso-8859-1', Buffer.from('é', 'latin1'), 'é'],
    ['text/plain; charset=utf-16', Buffer.from('\ufeffé', 'utf16le'), 'é'],
    ['text/plain', Buffer.from('\ufeffé', 'utf16le'), 'é'],
    ['text/plain; charset=utf-8', Buffer.from('\ufeffé', 'utf16le').swap16(), 'é'],
    ['text/plain; charset=latin1', Buffer.from('\ufeffé'), 'é'],
    [
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding=\'windows-1252\'?><a>€</a>'.replace('€', '\x80'), 'latin1'),
      '€',
    ],
    ['text/xml; charset=utf-8', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'), 'é'],
    ['application/xml', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>é</a>', 'utf16le'), 'é'],
    ['text/plain; charset=nonsense', Buffer.from('é'), 'é'],
  ])('is that of its mark, its type or its declaration: %s', (type, bytes, text) => {
    expect(decodeBody(bytes, type)).toContain(text)
    expect(decodeBody(bytes, type)).not.toContain('\ufeff')
  })
})

describe('check', () => {
  const codes = (settings: object) =>
    checkHttp({ method: 'POST', url: 'https://api.example.com/', ...settings }).map(
      ({ path, code }) => `${path} ${code}`,
    )

  it('refuses charsets that cannot be written, and what is there for nothing', () => {
    const text = (contentType: string) => ({ body: { kind: 'text', value: 'x', contentType } })
    expect(codes(text('text/plain; charset=big5'))).toEqual(['/body/contentType invalid_format'])
    expect(codes(text('text/plain; charset=nonsense'))).toEqual(['/body/contentType invalid_format'])
    for (const charset of ['utf-8', 'UTF-16LE', 'latin1', 'windows-1250', '{{ webhook.body.charset }}'])
      expect(codes(text(`text/plain; charset=${charset}`))).toEqual([])
    expect(codes({ compress: 'gzip' })).toEqual(['/compress conflicting'])
    const headers = [{ name: 'Content-Encoding', value: 'gzip' }]
    expect(codes({ ...text('text/plain'), compress: 'gzip', headers })).toEqual(['/headers/0/name duplicate_header'])
  })
})
