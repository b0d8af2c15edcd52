// node bench/files.ts [--files 100] [--mb 50] [--at-once 4]
// Sends files to a webhook as forms, which the flow forwards as forms; tells the memory and the event loop of Millrace meanwhile, and
// whether each file arrived at the far end as it was sent.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readMultipart } from '../src/http/webhooks/files/read-multipart.ts'
import { rssMb } from './load.ts'
import { endAll, type Service, startService } from './service.ts'

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '100' },
    mb: { type: 'string', default: '50' },
    'at-once': { type: 'string', default: '4' },
  },
})
const files = Number(options.files)
const mb = Number(options.mb)
const atOnce = Number(options['at-once'])
const MB = 1_000_000
const WATCH_MS = 100
const block = randomBytes(MB)

/** The hashes of what arrived, by the names of the files. */
const arrived = new Map<string, string>()

const upstream = createServer((incoming, response) => {
  readMultipart(incoming, {
    contentType: incoming.headers['content-type']!,
    mostTextBytes: MB,
    holdText() {},
    async takeFile({ name, bytes }) {
      const hash = createHash('sha256')
      for await (const chunk of bytes) hash.update(chunk)
      arrived.set(name, hash.digest('hex'))
    },
  }).then(
    () => response.end('{}'),
    (error) => response.writeHead(400).end(String(error)),
  )
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))

/** Sends one file of its own content; resolves to its hash when its run has ended. */
async function send(service: Service, path: string, name: string): Promise<string> {
  const hash = createHash('sha256')
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`
  const tail = '\r\n--b--\r\n'
  const own = Buffer.from(name.padEnd(64))
  const size = Buffer.byteLength(head) + own.length + mb * MB + tail.length
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': size }
  const sending = request({ port: service.port, host: '127.0.0.1', path, method: 'POST', headers })
  const replied = new Promise<number>((resolve, reject) => {
    sending.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode!)))
    sending.on('error', reject)
  })
  const write = (bytes: Buffer | string) =>
    new Promise<void>((resolve) => void (sending.write(bytes) ? resolve() : sending.once('drain', resolve)))
  await write(head)
  for (const piece of [own, ...Array.from({ length: mb }, () => block)]) {
    hash.update(piece)
    await write(piece)
  }
  sending.end(tail)
  const status = await replied
  if (status !== 200) throw new Error(`${name}: ${status}`)
  return hash.digest('hex')
}

try {
  const service = await startService(folder, { MILLRACE_MAX_FILE: `${mb + 1}mb` })
  const { path } = await service.publish({
    name: 'Forward',
    trigger: { kind: 'webhook', accept: ['multipart/form-data'], response: { mode: 'finished', timeout: 300 } },
    steps: [
      {
        id: 'send',
        kind: 'http',
        method: 'POST',
        timeout: 300,
        url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`,
        body: { kind: 'form', multipart: true, fields: [{ name: 'file', file: '{{ webhook.files.file }}' }] },
      },
    ],
  })
  // Reading the metrics begins a new measurement of the event loop.
  await service.metrics()
  const before = rssMb(service.pid)
  let most = before
  const watching = setInterval(() => (most = Math.max(most, rssMb(service.pid))), WATCH_MS)
  const begun = performance.now()
  let next = 0
  let unequal = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < files) {
        const name = `file-${next++}.pdf`
        if ((await send(service, path, name)) !== arrived.get(name)) unequal++
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watching)
  const metrics = await service.metrics()
  const ms = (name: string) => `${((metrics.get(name) ?? Number.NaN) * 1000).toFixed(1)} ms`
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()} x ${cpus().length}, load average ${loadavg()[0]!.toFixed(1)}`,
    '',
    '| Files | At once | Hashes equal | RSS before, most | Event loop p99, most | In and out |',
    '| ----- | ------- | ------------ | ---------------- | -------------------- | ---------- |',
    `| ${files} x ${mb} MB | ${atOnce} | ${files - unequal} of ${files} | ${before}, ${most} MB | ${ms('nodejs_eventloop_lag_p99_seconds')}, ${ms('nodejs_eventloop_lag_max_seconds')} | ${Math.round((files * mb) / seconds)} MB/s each way |`,
  ]
  console.log(lines.join('\n'))
  writeFileSync(new URL('./results/files.md', import.meta.url), `# Files\n\n${lines.join('\n')}\n`)
  process.exitCode = unequal ? 1 : 0
} finally {
  await endAll()
  upstream.closeAllConnections()
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
}
