// Tests files in flows: in by webhook and by request, out by request and by reply, and who can read them.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { connectRaw, requestBytes, sendRaw } from '../harness/raw-request.ts'

const MAX_FILE = 2_000_000
const SECRET = 'a-signing-secret'
const BYTES = randomBytes(300_000)
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

let millrace: Millrace
let upstream: Server
let origin: string
/** The requests that came, with their bodies. */
const came: { url: string; type: string; length: string; body: Buffer }[] = []

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { 'content-type': type = '', 'content-length': length = '' } = request.headers
    came.push({ url: request.url!, type, length, body: Buffer.concat(chunks) })
    if (request.url === '/report')
      response
        .writeHead(200, { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="../r.pdf"' })
        .end(BYTES)
    else if (request.url === '/huge') response.end(Buffer.alloc(MAX_FILE + 1))
    else if (request.url === '/missing') response.writeHead(404, { 'content-type': 'text/plain' }).end('no such report')
    else if (request.url === '/moved') response.writeHead(307, { location: '/again' }).end()
    else response.end('{}')
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  millrace = await startMillrace({ MILLRACE_MAX_FILE: String(MAX_FILE), MILLRACE_ENV_SECRET: SECRET })
})
afterAll(async () => {
  await millrace.stop()
  upstream.closeAllConnections()
  upstream.close()
})

const trigger = (more: object = {}) => ({
  kind: 'webhook',
  accept: ['multipart/form-data', 'application/pdf', 'image/*'],
  ...more,
})

function form(parts: Record<string, string | Uint8Array | (Uint8Array | string)[]>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(parts))
    for (const one of [value].flat())
      if (typeof one === 'string') data.append(name, one)
      else data.append(name, new Blob([new Uint8Array(one)], { type: 'application/pdf' }), `${name}.pdf`)
  return data
}

const post = (flow: PublishedFlow, body: RequestInit['body'], headers: Record<string, string> = {}, test = false) =>
  fetch(`${flow.flow.webhook.url}${test ? '/test' : ''}`, { method: 'POST', body, headers })

async function runOf(reply: Response) {
  const { id } = (await reply.json()) as { id: string }
  return millrace.runEnded(id)
}

/** On PostgreSQL they are in the database. */
const storedFiles = (): string[] =>
  existsSync(join(millrace.dataDir, 'files'))
    ? readdirSync(join(millrace.dataDir, 'files'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : []

describe('a form with files', () => {
  it('gives its fields as the body, and its files by their field', async () => {
    const flow = await millrace.publish({ name: 'Form', trigger: trigger(), steps: [] })
    const reply = await post(flow, form({ note: 'größe & more', invoice: BYTES, page: [BYTES, Buffer.from('2')] }))
    expect(reply.status).toBe(200)
    const { webhook } = await runOf(reply)
    const file = { file: expect.stringMatching(/^blob_/), contentType: 'application/pdf' }
    expect(webhook.body).toEqual({ note: 'größe & more' })
    expect(webhook.rawBody).toBe('note=gr%C3%B6%C3%9Fe+%26+more')
    expect(webhook.files).toEqual({
      invoice: { ...file, name: 'invoice.pdf', size: BYTES.length, sha256: sha256(BYTES) },
      page: [
        { ...file, name: 'page.pdf', size: BYTES.length, sha256: sha256(BYTES) },
        { ...file, name: 'page.pdf', size: 1, sha256: sha256('2') },
      ],
    })
  })

  it('is forwarded as it came, by multipart and as a body', async () => {
    const flow = await millrace.publish({
      name: 'Forward',
      trigger: trigger({ response: { mode: 'finished' } }),
      steps: [
        {
          id: 'send',
          kind: 'http',
          method: 'POST',
          url: `${origin}/form`,
          body: {
            kind: 'form',
            multipart: true,
            fields: [
              { name: 'note', value: '{{ webhook.body.note }}' },
              { name: 'doc', file: '{{ webhook.files.invoice }}', filename: 'neu "1".pdf', contentType: 'x/y' },
            ],
          },
        },
        {
          id: 'put',
          kind: 'http',
          method: 'PUT',
          url: `${origin}/moved`,
          body: { kind: 'file', value: '{{ webhook.files.invoice }}' },
        },
      ],
    })
    came.length = 0
    const reply = await post(flow, form({ note: 'hello', invoice: BYTES }))
    expect(reply.status).toBe(200)
    const [sent, , put] = came
    expect(sent!.length).toBe(String(sent!.body.length))
    const parts = await new Response(new Uint8Array(sent!.body), { headers: { 'content-type': sent!.type } }).formData()
    expect(parts.get('note')).toBe('hello')
    const doc = parts.get('doc') as File
    expect([doc.name, doc.type, sha256(Buffer.from(await doc.arrayBuffer()))]).toEqual([
      'neu "1".pdf',
      'x/y',
      sha256(BYTES),
    ])
    expect([put!.url, put!.type, sha256(put!.body)]).toEqual(['/again', 'application/pdf', sha256(BYTES)])
    const run = await runOf(reply)
    const value = run.webhook.files!['invoice']
    expect(run.steps.map(({ input }) => (input as { body: unknown }).body)).toEqual([
      {
        multipart: [
          { name: 'note', value: 'hello' },
          { name: 'doc', file: value, filename: 'neu "1".pdf', contentType: 'x/y' },
        ],
      },
      value,
    ])
    const { body: har } = await millrace.api('GET', `/runs/${run.id}/har`)
    expect(har.log.entries[0].request.postData).toMatchObject({
      text: '',
      params: [
        { name: 'note', value: 'hello' },
        { name: 'doc', fileName: 'neu "1".pdf', contentType: 'x/y', _file: value },
      ],
    })
    expect(JSON.stringify(har)).toContain(`invoice.pdf, ${BYTES.length} bytes, SHA-256 ${sha256(BYTES)}`)
  })

  it('whose field for a file is empty has no file there', async () => {
    const flow = await millrace.publish({ name: 'Empty', trigger: trigger(), steps: [] })
    const data = new FormData()
    data.append('invoice', new Blob([]), '')
    expect((await runOf(await post(flow, data))).webhook.files).toEqual({})
  })

  it('is refused where the trigger takes no forms', async () => {
    const flow = await millrace.publish({ name: 'None', trigger: { kind: 'webhook' }, steps: [] })
    expect((await post(flow, form({ invoice: BYTES }))).status).toBe(400)
  })
})

describe('a body that is a file', () => {
  it('is webhook.file', async () => {
    const flow = await millrace.publish({ name: 'Raw', trigger: trigger(), steps: [] })
    const headers = { 'content-type': 'image/png', 'content-disposition': `attachment; filename*=UTF-8''%C3%BC.png` }
    const { webhook } = await runOf(await post(flow, new Uint8Array(BYTES), headers))
    expect(webhook.file).toMatchObject({ name: 'ü.png', contentType: 'image/png', sha256: sha256(BYTES) })
    expect([webhook.body, webhook.rawBody]).toEqual([null, ''])
  })

  it('comes without its content encoding, and no larger than a file may be', async () => {
    const flow = await millrace.publish({ name: 'Encoded', trigger: trigger(), steps: [] })
    const headers = { 'content-type': 'application/pdf', 'content-encoding': 'gzip' }
    const { webhook } = await runOf(await post(flow, new Uint8Array(gzipSync(BYTES)), headers))
    expect(webhook.file).toMatchObject({ size: BYTES.length, sha256: sha256(BYTES) })
    const bomb = await post(flow, new Uint8Array(gzipSync(Buffer.alloc(20_000_000))), headers)
    expect([bomb.status, ((await bomb.json()) as { code: string }).code]).toEqual([413, 'payload_too_large'])
    const broken = await post(flow, new Uint8Array(gzipSync(BYTES).subarray(0, 1000)), headers)
    expect(broken.status).toBe(400)
  })

  it('is refused by its length before it is read', async () => {
    const flow = await millrace.publish({ name: 'Long', trigger: trigger(), steps: [] })
    const target = new URL(flow.flow.webhook.url).pathname
    const headers = ['Content-Type: application/pdf', `Content-Length: ${MAX_FILE + 1}`, 'Expect: 100-continue']
    expect((await sendRaw(millrace.port, requestBytes({ target, headers, body: '' }))).status).toBe(413)
  })

  it('cut off by its sender leaves nothing', async () => {
    const flow = await millrace.publish({ name: 'Cut', trigger: trigger(), steps: [] })
    const target = new URL(flow.flow.webhook.url).pathname
    const bytes = requestBytes({
      target,
      headers: ['Content-Type: application/pdf', 'Content-Length: 1000'],
      body: 'abc',
    })
    const before = storedFiles()
    const connection = await connectRaw(millrace.port)
    connection.write(bytes)
    connection.socket.destroy()
    await vi.waitFor(async () => {
      const { body: inbox } = await millrace.api('GET', `/flows/${flow.flow.id}/deliveries`)
      expect(inbox.items).toMatchObject([
        { outcome: 'rejected', message: 'The body ended before its declared end.', runId: null },
      ])
    }, 15_000)
    expect(storedFiles()).toEqual(before)
  })
})

describe('a signed delivery with files', () => {
  const signed = (bytes: Uint8Array) => ({
    'content-type': 'application/pdf',
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`,
  })
  const auth = { kind: 'signature', scheme: 'github', secret: '{{ env.SECRET }}' }

  it('is checked while it comes', async () => {
    const flow = await millrace.publish({ name: 'Signed', trigger: trigger({ auth }), steps: [] })
    const { webhook } = await runOf(await post(flow, new Uint8Array(BYTES), signed(BYTES)))
    expect(webhook.file).toMatchObject({ sha256: sha256(BYTES) })
    const other = randomBytes(100_000)
    const refused = await post(flow, new Uint8Array(other), signed(BYTES))
    expect(refused.status).toBe(401)
    // Without the header it is refused before any byte is read.
    expect((await post(flow, new Uint8Array(other), { 'content-type': 'application/pdf' })).status).toBe(401)
  })

  it.each([
    ['around the body', '{{ webhook.headers["x-time"] }}.{{ webhook.rawBody }}.end'],
    ['with a field of the form', '{{ webhook.body.note }}.{{ webhook.rawBody }}'],
  ])('is checked by a scheme of its own %s', async (_how, template) => {
    const custom = {
      kind: 'signature',
      scheme: 'custom',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'X-Sig',
      signed: template,
      secret: '{{ env.SECRET }}',
    }
    const flow = await millrace.publish({ name: 'Custom', trigger: trigger({ auth: custom }), steps: [] })
    const body = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f.pdf"\r\n\r\nabc\r\n--b--\r\n',
    )
    const hmac = createHmac('sha256', SECRET)
    const isAround = template.endsWith('.end')
    hmac.update(isAround ? '7.' : 'hi.').update(body)
    if (isAround) hmac.update('.end')
    const headers = (signature: string) => ({
      'content-type': 'multipart/form-data; boundary=b',
      'x-time': '7',
      'x-sig': signature,
    })
    const run = await runOf(await post(flow, new Uint8Array(body), headers(hmac.digest('hex'))))
    expect(run.webhook.files).toMatchObject({ f: { name: 'f.pdf', sha256: sha256('abc') } })
    expect((await post(flow, new Uint8Array(body), headers('0'.repeat(64)))).status).toBe(401)
  })
})

describe('a reply of an API', () => {
  const getting = (url: string, more: object = {}) => ({
    id: 'get',
    kind: 'http',
    method: 'GET',
    url: `${origin}${url}`,
    response: { as: 'file' },
    ...more,
  })

  it('is a file that the flow answers with', async () => {
    const flow = await millrace.publish({
      name: 'Reply',
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
      steps: [getting('/report'), { id: 'answer', kind: 'respond', file: '{{ steps.get.body }}' }],
    })
    const reply = await post(flow, '{}', { 'content-type': 'application/json' })
    expect(reply.status).toBe(200)
    expect(sha256(Buffer.from(await reply.arrayBuffer()))).toBe(sha256(BYTES))
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(BYTES.length),
      'content-disposition': `attachment; filename="r.pdf"; filename*=UTF-8''r.pdf`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
  })

  it('that is too large fails the step, and one that is an error stays text', async () => {
    const flow = await millrace.publish({
      name: 'Too large',
      trigger: { kind: 'webhook' },
      steps: [getting('/huge', { id: 'huge', onError: 'continue' }), getting('/missing', { onError: 'continue' })],
    })
    const run = await millrace.runEnded((await flow.post({})).body.id)
    expect(run.steps.map(({ error }) => error?.code)).toEqual(['response_too_large', 'http_404'])
    expect(run.steps[1]!.output).toMatchObject({ status: 404, body: 'no such report' })
  })
})

describe('the content of a file', () => {
  it('is text, or base64 of its bytes', async () => {
    const flow = await millrace.publish({
      name: 'Content',
      trigger: trigger({ response: { mode: 'finished' } }),
      steps: [
        {
          id: 'read',
          kind: 'set',
          vars: {
            text: '{{ text(webhook.files.a) }}',
            both: '{{ [webhook.files.a, webhook.files.b].map(f => base64(f)) }}',
            old: '{{ base64("ä") }}',
          },
        },
      ],
    })
    const run = await runOf(await post(flow, form({ a: Buffer.from('größe'), b: Buffer.from([0, 255]) })))
    expect(run.steps[0]!.output).toEqual({ text: 'größe', both: ['Z3LDtsOfZQ==', 'AP8='], old: 'w6Q=' })
  })
})

it('refuses to publish a trigger or a condition that reads the content of a file', async () => {
  const { body } = await millrace.api('POST', '/flows', {
    name: 'Misread',
    trigger: trigger({ when: '{{ text(webhook.file) == "x" }}', dedupe: { key: '{{ base64(webhook.files.a) }}' } }),
    steps: [{ id: 'b', kind: 'branch', cases: [{ when: '{{ text(webhook.file) == "x" }}', steps: [] }] }],
  })
  const { status, body: refused } = await millrace.api('POST', `/flows/${body.id}/publish`)
  expect(status).toBe(422)
  expect(new Set(refused.issues.map(({ path }: { path: string }) => path))).toEqual(
    new Set(['/trigger/when', '/trigger/dedupe/key', '/steps/0/cases/0/when']),
  )
})

describe('who can read a file', () => {
  it('is the run that has it, and none that only names it', async () => {
    const flow = await millrace.publish({ name: 'Own', trigger: trigger(), steps: [] })
    const { webhook } = await runOf(await post(flow, form({ a: BYTES })))
    const thief = await millrace.publish({
      name: 'Thief',
      trigger: { kind: 'webhook' },
      steps: [
        {
          id: 'send',
          kind: 'http',
          method: 'POST',
          url: `${origin}/steal`,
          body: { kind: 'file', value: '{{ webhook.body }}' },
        },
      ],
    })
    came.length = 0
    for (const [given, message] of [
      [webhook.files!['a'], 'The run has no file "a.pdf"'],
      [{ file: '../../etc/passwd' }, 'What is given as a file is none'],
      [[webhook.files!['a']], 'This is a list of files; choose one of them, the first with [0]'],
    ] as const) {
      const run = await millrace.runEnded((await thief.post(given)).body.id)
      expect(run.error).toMatchObject({ code: 'file_not_found', message })
    }
    expect(came).toEqual([])
  })

  it('is a called flow that it is given to, whose result the caller reads, a replay and a test', async () => {
    const called = await millrace.publish({
      name: 'Called',
      trigger: { kind: 'call' },
      steps: [
        { id: 'read', kind: 'set', vars: { text: '{{ text(input.file) }}' } },
        { id: 'get', kind: 'http', method: 'GET', url: `${origin}/report`, response: { as: 'file' } },
        { id: 'give', kind: 'set', vars: { report: '{{ steps.get.body }}' } },
      ],
    })
    const flow = await millrace.publish({
      name: 'Caller',
      trigger: trigger(),
      steps: [
        { id: 'call', kind: 'call', flow: called.flow.id, input: { file: '{{ webhook.files.a }}' } },
        { id: 'size', kind: 'set', vars: { length: '{{ base64(steps.call.report).length }}' } },
      ],
    })
    const run = await runOf(await post(flow, form({ a: Buffer.from('hello') })))
    expect(run.error).toBeNull()
    expect(run.steps[0]!.output).toMatchObject({ text: 'hello' })
    expect(run.steps[1]!.output).toEqual({ length: 400_000 })
    const { body: replay } = await millrace.api('POST', `/runs/${run.id}/replay`, {})
    expect((await millrace.runEnded(replay.id)).error).toBeNull()
    expect((await post(flow, form({ a: Buffer.from('sample') }), {}, true)).status).toBe(200)
    const { body: test } = await millrace.api('POST', `/flows/${flow.flow.id}/test`, {})
    expect((await millrace.runEnded(test.id)).error).toBeNull()
  })
})
