import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticUi } from './static-ui.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-ui-'))
const script = `export const text = '${'water '.repeat(500)}'`
let server: FastifyInstance
let port: number

const start = async (uiFolder: string) => {
  const fastify = Fastify()
  await staticUi(fastify, uiFolder, async (_request, reply) => reply.code(404).send({ code: 'not_found' }))
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  return fastify
}
const portOf = (fastify: FastifyInstance) => (fastify.server.address() as { port: number }).port
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${port}${path}`, { method, headers })

/** The target as it is written, which `fetch` would tidy up. */
const getRaw = (target: string, headers = '') =>
  new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n${headers}connection: close\r\n\r\n`),
    )
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks)))
    socket.on('error', reject)
  })

beforeAll(async () => {
  const dist = join(folder, 'dist')
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>UI</title>')
  writeFileSync(join(dist, 'assets/main-a1b2.js'), script)
  writeFileSync(join(dist, '.built-from'), 'fingerprint')
  mkdirSync(join(dist, 'docs/examples'), { recursive: true })
  for (const page of ['index', 'flows', '404'])
    writeFileSync(join(dist, `docs/${page}.html`), `<!doctype html><title>Guide: ${page}</title>`)
  writeFileSync(join(dist, 'docs/examples/hello.yaml'), 'name: Hello')
  writeFileSync(join(dist, 'assets/inter-c3d4.woff2'), 'font')
  writeFileSync(join(folder, 'secret.html'), 'outside')
  server = await start(dist)
  port = portOf(server)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

describe('the web UI', () => {
  it.each(['/', '/flows', '/flows/flow_1?tab=runs', '/settings/tokens'])('answers %s with its page', async (path) => {
    const reply = await get(path)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(await reply.text()).toContain('<title>UI</title>')
  })

  it('lets no page load, frame or script anything of others', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src|https?:|unsafe-eval/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  it.each([
    ['/docs', 200, 'Guide: index'],
    ['/docs/', 200, 'Guide: index'],
    ['/docs/flows', 200, 'Guide: flows'],
    ['/docs/flows?from=help', 200, 'Guide: flows'],
    ['/docs/nothing', 404, 'Guide: 404'],
    ['/docs/nothing.png', 404, 'Guide: 404'],
  ])('answers %s with %s and the page of the guide', async (path, status, title) => {
    const reply = await get(path)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(await reply.text()).toContain(title)
  })

  it('serves fonts and examples as what they are', async () => {
    expect((await get('/assets/inter-c3d4.woff2')).headers.get('content-type')).toBe('font/woff2')
    expect((await get('/docs/examples/hello.yaml')).headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await get('/')).headers.get('content-security-policy')).toContain("font-src 'self'")
  })

  it('lets browsers keep files whose name changes with their content', async () => {
    const reply = await get('/assets/main-a1b2.js')
    expect(reply.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await reply.text()).toBe(script)
  })

  it('sends nothing again to a browser that has it', async () => {
    const etag = (await get('/')).headers.get('etag')!
    const reply = await get('/', { 'if-none-match': etag })
    expect(reply.status).toBe(304)
    expect(await reply.text()).toBe('')
  })

  it('compresses as the browser accepts it', async () => {
    const ask = async (accepted: string) => {
      const bytes = await getRaw('/assets/main-a1b2.js', accepted && `accept-encoding: ${accepted}\r\n`)
      const end = bytes.indexOf('\r\n\r\n')
      const head = bytes.subarray(0, end).toString()
      return { encoding: /content-encoding: (\w+)/i.exec(head)?.[1] ?? null, body: bytes.subarray(end + 4) }
    }
    const brotli = await ask('gzip, deflate, br')
    expect(brotli.encoding).toBe('br')
    expect(brotliDecompressSync(brotli.body).toString()).toBe(script)
    const gzip = await ask('gzip, br;q=0')
    expect(gzip.encoding).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(script)
    const plain = await ask('')
    expect(plain.encoding).toBeNull()
    expect(plain.body.toString()).toBe(script)
  })

  it('answers HEAD without a body', async () => {
    const reply = await get('/flows', {}, 'HEAD')
    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe('')
  })

  it.each([
    '/../secret.html',
    '/..%2fsecret.html',
    '/%2e%2e/secret.html',
    '/assets/../../secret.html',
    '/assets/..%5c..%5csecret.html',
    '//secret.html',
    '/.built-from',
    '/assets/main-a1b2.js%00.html',
    '/assets/gone-c3d4.js',
    '/docs/../../secret.html',
    '/docs/..%2f..%2fsecret',
  ])('does not find %s', async (target) => {
    const reply = (await getRaw(target)).toString()
    expect(reply).toMatch(/^HTTP\/1\.1 404/)
    expect(reply).not.toContain('outside')
    expect(reply).not.toContain('fingerprint')
  })

  it.each(['/api', '/api/v1/nothing', '/api/auth/nothing', '/healthz/x', '/metrics/x'])(
    'leaves %s to the API',
    async (path) => {
      const reply = await get(path)
      expect(reply.status).toBe(404)
      expect(await reply.json()).toEqual({ code: 'not_found' })
    },
  )

  it('says how to build it where it is missing', async () => {
    const empty = await start(join(folder, 'nowhere'))
    const reply = await fetch(`http://127.0.0.1:${portOf(empty)}/flows`)
    expect(reply.status).toBe(503)
    expect(await reply.text()).toContain('npm run build')
    await empty.close()
  })
})
