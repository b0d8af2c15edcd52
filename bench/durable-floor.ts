// The durable floor: takes deliveries as durably as Millrace, and does nothing else with them. All that arrive in one turn of
// the event loop share a commit, and are answered after it.
// Usage: node bench/durable-floor.ts PORT FOLDER
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

const [port, folder] = process.argv.slice(2)
const database = new DatabaseSync(join(folder!, 'durable-floor.db'))
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table deliveries (id integer primary key, at integer not null, body text not null);
`)
const begin = database.prepare('begin immediate')
const insert = database.prepare('insert into deliveries (at, body) values (?, ?)')
const commit = database.prepare('commit')

let waiting: { body: string; stored: () => void }[] = []

function store(): void {
  const batch = waiting
  waiting = []
  const now = Date.now()
  begin.run()
  for (const { body } of batch) insert.run(now, body)
  commit.run()
  for (const { stored } of batch) stored()
}

function accept(body: string): Promise<void> {
  return new Promise((stored) => {
    if (waiting.push({ body, stored }) === 1) setImmediate(store)
  })
}

const app = fastify({ keepAliveTimeout: 60_000 })
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, raw, done) => {
  try {
    done(null, { raw, order: JSON.parse(raw as string) })
  } catch (error) {
    done(error as Error)
  }
})
app.post<{ Body: { raw: string; order: { id: string } } }>('/a', async ({ body }) => {
  await accept(body.raw)
  return { status: 'success', id: body.order.id }
})
await app.listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 })
console.log('is ready')
