// Serves the built web UI: its files as they are, and index.html for every address that is the UI's own.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingFor, compress, WORTH_COMPRESSING } from '../content-coding.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.yaml': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

/** Mantine writes its variables into style elements; scripts come from files only. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // Thumbnails of files are drawn from bytes that a script fetched.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "object-src 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Millrace</title>
<h1>The web UI is not built</h1>
<p>Millrace runs, and its API answers. To have the web UI, run <code>npm run build</code> in its folder and start it again;
<code>npm start</code> does both.</p></html>`

interface UiFile {
  type: string
  /** Its name changes with its content. */
  immutable: boolean
  /** Read when first asked for, as most never are: all of them are megabytes, and a tenth of the time of a start. */
  content(): Promise<UiContent>
}

interface UiContent {
  bytes: Buffer
  etag: string
  /** Made when first asked for. */
  compressed: Map<Coding, Promise<Buffer>>
}

/** What lies outside the UI: the API, health and metrics. */
const isReserved = (path: string): boolean => /^\/(api|healthz|readyz|metrics)(\/|$)/.test(path)

/** A request for a missing file must not get a page: a browser would take it for the script that it requested. */
const namesFile = (path: string): boolean =>
  path.startsWith('/assets/') || path.includes('/.') || TYPES[extname(path)] !== undefined

const isOfGuide = (path: string): boolean => /^\/docs(\/|$)/.test(path)

/** Pages of the guide have addresses without an ending: /docs/flows. */
function guidePage(files: ReadonlyMap<string, UiFile>, path: string): UiFile | undefined {
  if (!isOfGuide(path)) return undefined
  return files.get(/^\/docs\/?$/.test(path) ? '/docs/index.html' : `${path}.html`)
}

export async function staticUi(
  app: FastifyInstance,
  folder: string,
  notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): Promise<void> {
  // Serves only the files that existed at the start, by their names: no path can lead anywhere else.
  const files = await listFiles(folder)
  const index = files.get('/index.html')
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const path = request.raw.url!.split('?', 1)[0]!
    if (isReserved(path)) return notFound(request, reply)
    for (const [name, value] of Object.entries(HEADERS)) void reply.header(name, value)
    if (!index) return reply.code(503).header('cache-control', 'no-store').type(TYPES['.html']!).send(NOT_BUILT)
    const file = files.get(path) ?? guidePage(files, path)
    if (file) return send(request, reply, file)
    if (isOfGuide(path)) return send(request, reply.code(404), files.get('/docs/404.html') ?? index)
    return namesFile(path) ? notFound(request, reply) : send(request, reply, index)
  })
}

async function listFiles(folder: string): Promise<Map<string, UiFile>> {
  const files = new Map<string, UiFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || !type) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).replaceAll(sep, '/')}`
    let read: Promise<UiContent> | null = null
    const content = () => {
      read ??= readContent(file)
      // What could not be read is tried again.
      read.catch(() => (read = null))
      return read
    }
    files.set(path, { type, immutable: path.startsWith('/assets/'), content })
  }
  return files
}

async function readContent(file: string): Promise<UiContent> {
  const bytes = await readFile(file)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { bytes, etag, compressed: new Map() }
}

/** Types that are compressed in themselves. */
const COMPRESSED = /^font|^image\/(png|webp)/
/** Each file is compressed once. The last two levels of Brotli take ten times as long and save a twentieth. */
const QUALITY = 9

async function send(request: FastifyRequest, reply: FastifyReply, file: UiFile): Promise<FastifyReply> {
  const { bytes, etag, compressed } = await file.content()
  void reply
    .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', etag)
    .type(file.type)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const isWorthIt = bytes.length >= WORTH_COMPRESSING && !COMPRESSED.test(file.type)
  const coding = isWorthIt ? codingFor(request.headers['accept-encoding']) : null
  if (!coding) return reply.send(bytes)
  let shorter = compressed.get(coding)
  if (!shorter) {
    shorter = compress(bytes, coding, QUALITY)
    compressed.set(coding, shorter)
  }
  return reply.header('content-encoding', coding).send(await shorter)
}
