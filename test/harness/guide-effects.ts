// Checks the effects of a page's commands: a command that does nothing would succeed too.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { databaseFault } from '../../src/base/data-folder.ts'
import type { Reader } from './guide-reader.ts'
import type { SessionResult } from './guide-shell.ts'

type Effect = (reader: Reader, session: SessionResult) => void | Promise<void>

export const EFFECTS: Record<string, Effect> = {
  'README.md': (_reader, { blocks }) => {
    expect(blocks.at(-1)!.stdout).toContain('"vars":{"greeting":"Hello, Ada!"')
  },

  'docs/quick-start.md': ({ port }, { blocks, processes, log }) => {
    const server = `server-${port}`
    const ofServer = processes.filter((line) => line.endsWith(server))
    expect(ofServer, 'it is stopped for its settings, killed, and started again').toEqual([
      `start ${server}`,
      `INT ${server}`,
      `start ${server}`,
      `KILL ${server}`,
      `start ${server}`,
    ])
    expect(log).toContain('"recovered":1')
    const seenByShop = log.match(/^(?:GET|POST) \/.*$/gm)
    expect(seenByShop, 'the request that a crash cut off is sent again, and nothing else').toEqual([
      'GET /orders/7',
      'POST /alerts',
      'GET /orders/8',
      'GET /orders/8',
      'POST /alerts',
      'GET /orders/9',
    ])
    expect(blocks.at(-2)!.stdout, 'the inbox has what was refused').toContain('"outcome":"rejected"')
    expect(blocks.at(-1)!.stdout).toMatch(/"url":"http:\/\/localhost:\d+\/orders\/9"/)
    expect(blocks.at(-1)!.stdout).not.toContain('any-token')
  },

  'docs/access.md': async ({ port, environment }) => {
    const signedIn = await fetch(`http://localhost:${port}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: environment['NEW_PASSWORD'] }),
    })
    expect(signedIn.status).toBe(200)
  },

  'docs/deploy.md': ({ fileSystem, folder }) => {
    const settings = join(fileSystem, 'etc/millrace.env')
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    const pairs = readFileSync(settings, 'utf8').trim().split('\n')
    expect(readConfig(Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s))))).toMatchObject({
      trustProxy: ['127.0.0.1'],
      adminToken: expect.any(String),
      secretKeys: [expect.any(String)],
    })
    expect(globSync('*', { cwd: join(fileSystem, 'etc/systemd/system') }).toSorted()).toEqual([
      'millrace-backup.service',
      'millrace-backup.timer',
      'millrace.service',
    ])
    expect(existsSync(join(folder, 'deploy/.env'))).toBe(true)
  },

  'docs/flows-as-files.md': async ({ ask, folder }) => {
    const { items } = (await ask!('/flows')) as { items: object[] }
    expect(items).toContainEqual(expect.objectContaining({ name: 'Refunds', status: 'published' }))
    expect(readFileSync(join(folder, 'flows/orders.test.yaml'), 'utf8')).toContain('order')
  },

  'docs/mcp.md': async ({ ask }) => {
    const { items } = (await ask!('/tokens')) as { items: object[] }
    expect(items).toContainEqual(expect.objectContaining({ name: 'assistant', scope: 'read' }))
  },

  'docs/operating.md': ({ fileSystem, otherPort }, { processes }) => {
    const today = globSync('millrace-*.db', { cwd: join(fileSystem, 'backup') }).filter(
      (name) => !name.includes('-11-01'),
    )
    expect(today.map((name) => databaseFault(join(fileSystem, 'backup', name)))).toEqual([null])
    expect(databaseFault(join(fileSystem, 'var/lib/millrace/millrace.db'))).toBe(null)
    expect(processes.filter((line) => line === `start server-${otherPort}`).length, 'restored, and traced').toBe(2)
  },

  'docs/scale.md': ({ port, otherPort }, { blocks, processes }) => {
    expect(processes.slice(0, 2)).toEqual([`start server-${port}`, `start server-${otherPort}`])
    expect(blocks.at(-1)!.stdout).toMatch(/^\d+ rows of \d+ tables are in PostgreSQL\.$/m)
  },
}
