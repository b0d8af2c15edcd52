// XML and other charsets over webhooks: docs/xml-and-csv.md. With TEST_STORAGE=postgres the same on PostgreSQL.
import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRejected } from '../harness/inbox.ts'
import { expectIssues } from '../harness/management.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_HOOK: 'the-secret-of-the-hook' })
})
afterAll(() => millrace.stop())

const JSON_TYPE = 'application/json'
const XML = { kind: 'webhook', accept: ['application/json', 'application/xml', 'text/*'], parse: 'xml' }
const flowWith = (trigger: object, steps: object[] = []) =>
  millrace.publish({ name: 'XML', trigger: { ...XML, ...trigger }, steps })

async function send(
  { flow }: PublishedFlow,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(flow.webhook!.url, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', ...headers },
    body: body as never,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const bodyOf = async (id: string) => (await millrace.runEnded(id)).webhook.body

describe('a trigger that parses XML', () => {
  it('reads the body for the filter, the key, labels, steps and later readers', async () => {
    const flow = await flowWith(
      {
        lists: ['order.item'],
        when: "{{ webhook.body.order['@kind'] != 'test' }}",
        dedupe: { key: '{{ webhook.body.order.id }}' },
        labels: { order: '{{ webhook.body.order.id }}' },
        response: { mode: 'finished', body: { items: '{{ vars.items }}' } },
      },
      [{ id: 'read', kind: 'set', vars: { items: '{{ webhook.body.order.item.length }}' } }],
    )
    const text = '<order kind="real"><id>007</id><item>Nuts &amp; bolts</item></order>'
    expect(await send(flow, text)).toMatchObject({ status: 200, body: { items: 1 } })
    const [run] = (await millrace.api('GET', '/runs?label.order=007')).body.items
    const read = await millrace.run(run.id)
    expect(read.webhook).toMatchObject({
      body: { order: { '@kind': 'real', id: '007', item: ['Nuts & bolts'] } },
      rawBody: text,
    })
    expect((await send(flow, text)).body.id).toBe(run.id)
    await send(flow, '<order kind="test"><id>8</id></order>')
    const listed = (await millrace.api('GET', `/flows/${flow.flow.id}/deliveries`)).body.items
    expect(listed.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['filtered', 'duplicate', 'accepted'])
    const edited = { webhook: { body: { order: { '@kind': 'real', id: 9, item: ['a', 'b'] } } } }
    const replay = await millrace.api('POST', `/runs/${run.id}/replay`, edited)
    expect(await bodyOf(replay.body.id)).toEqual({ order: { '@kind': 'real', id: '9', item: ['a', 'b'] } })
  })

  it('leaves JSON and text what they are', async () => {
    const flow = await flowWith({})
    const json = await send(flow, '{"a": 1}', { 'content-type': 'application/json' })
    expect(await bodyOf(json.body.id)).toEqual({ a: 1 })
    const text = await send(flow, '<a/>', { 'content-type': 'text/plain' })
    expect(await bodyOf(text.body.id)).toBe('<a/>')
    const plain = await flowWith({ parse: undefined })
    expect(await bodyOf((await send(plain, '<a/>')).body.id)).toBe('<a/>')
  })

  it('refuses what it cannot read, with the place, in the inbox too', async () => {
    const flow = await flowWith({})
    const refused = async (body: string | Buffer, message: string, headers = {}) => {
      const answer = await send(flow, body, headers)
      expect(answer.body.message).toContain(message)
      const kept = await expectRejected(millrace, flow.flow.id, answer, 400, 'bad_request')
      expect(kept.message).toContain(message)
    }
    await refused('<a>\n  <b></a>', 'an end tag does not match its start tag (line 2, column 6)')
    await refused('', 'The body is empty')
    await refused('<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', 'a document type (DOCTYPE)')
    await refused('<a>'.repeat(10_000), 'nested more than 200 levels deep')
    await refused(Buffer.from('<a>é</a>', 'latin1'), 'not valid UTF-8')
    await refused(Buffer.from([0x81, 0xff]), 'not valid text of the charset shift_jis', {
      'content-type': 'application/xml; charset=shift_jis',
    })
    const bomb = gzipSync(Buffer.alloc(11 * 1024 * 1024, '<a/>'))
    expect((await send(flow, bomb, { 'content-encoding': 'gzip' })).status).toBe(413)
  })

  it('reads a large body as a small one, and refuses it with the place of its fault', async () => {
    const flow = await flowWith({ response: { mode: 'finished', body: { last: '{{ vars.last }}' } } }, [
      { id: 'read', kind: 'set', vars: { last: '{{ webhook.body.a.b[webhook.body.a.b.length - 1] }}' } },
    ])
    const large = `<a>${'<b>x</b>\n'.repeat(20_000)}<b>y</b></a>`
    expect(await send(flow, large)).toMatchObject({ status: 200, body: { last: 'y' } })
    const [run] = (await millrace.api('GET', `/runs?flow=${flow.flow.id}`)).body.items
    expect(await bodyOf(run.id)).toMatchObject({ a: { b: { length: 20_001 } } })
    const answer = await send(flow, large.replace('y</b>', 'y</c>'))
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.body.message).toContain('an end tag does not match its start tag (line 20001, column 5)')
  })

  it('verifies signatures of the bytes, before they become text', async () => {
    const flow = await flowWith({
      auth: { kind: 'signature', scheme: 'hmac-sha256', secret: '{{ env.HOOK }}', header: 'X-Signature' },
    })
    const bytes = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>', 'latin1')
    const signature = createHmac('sha256', 'the-secret-of-the-hook').update(bytes).digest('hex')
    const answer = await send(flow, bytes, { 'X-Signature': signature })
    expect(await bodyOf(answer.body.id)).toEqual({ a: 'é' })
    expect((await send(flow, Buffer.from('<a>é</a>'), { 'X-Signature': signature })).status).toBe(401)
  })

  it('is published only where XML comes in', async () => {
    const problems = async (trigger: object) => {
      const { id } = (await millrace.api('POST', '/flows', { name: 'X', trigger, steps: [] })).body
      return millrace.api('POST', `/flows/${id}/publish`)
    }
    expectIssues(await problems({ kind: 'webhook', parse: 'xml' }), [['/trigger/parse', 'conflicting']])
    expectIssues(await problems({ kind: 'webhook', lists: ['a'] }), [['/trigger/lists', 'conflicting']])
    const { body } = await problems({ kind: 'webhook', parse: 'xml', accept: ['application/*+xml'] })
    expect(body.version).toBe(1)
  })

  it('is tested with XML that is given, as text or as data', async () => {
    const { flow } = await flowWith({ lists: ['a.b'] }, [
      { id: 's', kind: 'set', vars: { b: '{{ webhook.body.a.b }}' } },
    ])
    const tested = async (webhook: object) =>
      (await millrace.api('POST', `/flows/${flow.id}/steps/s/test`, { webhook })).body.output
    const headers = { 'content-type': 'application/xml' }
    expect(await tested({ headers, body: '<a><b>1</b></a>' })).toEqual({ b: ['1'] })
    expect(await tested({ headers, rawBody: '<a><b>2</b></a>' })).toEqual({ b: ['2'] })
    expect(await tested({ headers, body: { a: { b: ['3'] } } })).toEqual({ b: ['3'] })
    const failed = await millrace.api('POST', `/flows/${flow.id}/steps/s/test`, {
      webhook: { headers, rawBody: '<a>' },
    })
    expect(failed).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('not XML that can be read') },
    })
  })
})

describe('the charset of a delivery', () => {
  it.each<[string, string, Buffer, unknown]>([
    ['latin1 by its header', 'text/plain; charset=ISO-8859-1', Buffer.from('é€'.replace('€', '\x80'), 'latin1'), 'é€'],
    ['UTF-16 by its header', 'text/plain; charset=utf-16le', Buffer.from('é', 'utf16le'), 'é'],
    ['UTF-16 by its mark', 'text/plain', Buffer.from('\ufeffé', 'utf16le').swap16(), 'é'],
    ['UTF-8 with a mark', 'text/plain', Buffer.from('\ufeffé'), 'é'],
    ['XML by its header', 'text/xml; charset=windows-1251', Buffer.from('<a>\xe6</a>', 'latin1'), { a: 'ж' }],
    ['XML in UTF-16', 'application/xml', Buffer.from('\ufeff<a>é</a>', 'utf16le'), { a: 'é' }],
    ['JSON in UTF-16', 'application/json; charset=utf-16', Buffer.from('\ufeff{"a":"é"}', 'utf16le'), { a: 'é' }],
    ['JSON in UTF-8, whatever it says', 'application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}'), { a: 'é' }],
    ['JSON in latin1', 'application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'latin1'), { a: 'é' }],
    ['an unknown one as UTF-8', 'text/plain; charset=nonsense', Buffer.from('é'), 'é'],
  ])('%s', async (_name, type, bytes, expected) => {
    flow ??= await flowWith({})
    const { body } = await send(flow, bytes, { 'content-type': type })
    expect(await bodyOf(body.id)).toEqual(expected)
  })
  let flow: PublishedFlow | undefined

  it('of a reply is that of its type', async () => {
    const reply = async (contentType: string) => {
      const headers = [{ name: 'Content-Type', value: contentType }]
      const { flow: made } = await flowWith({ response: { mode: 'immediate', headers, body: '<a>é€</a>' } })
      const response = await fetch(made.webhook!.url, {
        method: 'POST',
        headers: { 'content-type': JSON_TYPE },
        body: '1',
      })
      return Buffer.from(await response.arrayBuffer())
    }
    expect((await reply('application/xml; charset=iso-8859-1')).toString('latin1')).toBe('<a>é&#8364;</a>')
    expect((await reply('text/plain; charset=latin1')).toString('latin1')).toBe('<a>é?</a>')
    expect((await reply('text/plain; charset=utf-16le')).toString('utf16le')).toBe('<a>é€</a>')
    expect((await reply('text/plain')).toString()).toBe('<a>é€</a>')
  })
})
