// Holds genuine and forged requests of every sender against its file: all genuine ones are let in, all forged ones refused.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withTables } from '../../scripts/senders-page.ts'
import { letsIn } from '../../src/operations/deliveries/sender-request.testkit.ts'
import { FORGERIES, forge } from './forgeries.testkit.ts'
import { forgeryTable } from './forgery-table.testkit.ts'
import { PACKAGES } from './packages.testkit.ts'
import { samplesOf, senderNamed } from './sender-named.testkit.ts'
import { type Header, type Sent, send, URL_OF_FLOW, type Vendor } from './vendor.testkit.ts'
import { VENDORS } from './vendors.testkit.ts'

const root = resolve(import.meta.dirname, '../..')
const names = readdirSync(join(root, 'senders'))
  .filter((file) => file !== 'sender.schema.json')
  .map((file) => file.replace('.json', ''))

const held = (name: string, fields: Record<string, string>, { headers, body }: Sent) =>
  letsIn(senderNamed(name), fields, { rawHeaders: headers.flat(), body })

/** Returns the request with the signature of the vendor's own package in place of that by the documentation. */
async function asThePackageSigns(name: string, vendor: Vendor, sent: Sent): Promise<Sent> {
  const own = PACKAGES[name]
  if (!own) return sent
  const header = (wanted: string) => sent.headers.find(([name]) => name === wanted)![1]
  const request = { body: sent.body.toString(), secret: vendor.way.secret, url: URL_OF_FLOW, header }
  if (own.accepts) expect(await own.accepts(request), `${own.name} lets it in`).toBe(true)
  if (!own.signs) return sent
  const [signed, value] = await own.signs(request)
  return { ...sent, headers: sent.headers.map((line): Header => (line[0] === signed ? [signed, value] : line)) }
}

describe('a sender', () => {
  it('has someone who plays it here', () => {
    expect(Object.keys(VENDORS)).toEqual(names)
  })

  it.each(names)('%s is let in with each of its samples, however the body is written', async (name) => {
    const vendor = VENDORS[name]!
    for (const sample of samplesOf(name))
      for (const isOdd of [false, true]) {
        const sent = await asThePackageSigns(name, vendor, send(vendor, sample, {}, isOdd))
        expect(held(name, vendor.fields, sent), `${sample.event}, ${isOdd ? 'odd' : 'plain'}`).toBe(true)
      }
  })

  it.each(names)('%s is refused when anything is forged', (name) => {
    const vendor = VENDORS[name]!
    const [one, other] = samplesOf(name)
    for (const forgery of FORGERIES) {
      const forged = forge(vendor, forgery, [one!, other!])
      if (typeof forged === 'string') continue
      expect(forged.length, forgery.title).toBeGreaterThan(0)
      for (const { fields, ...sent } of forged)
        expect(held(name, fields, sent), `${forgery.title}: ${JSON.stringify(sent.headers)}`).toMatch(
          /^Authentication failed/,
        )
    }
  })
})

describe('docs/senders.md', () => {
  it('shows what the files say and what was tried here', () => {
    const forgeries = forgeryTable(names)
    console.log(forgeries)
    const page = readFileSync(join(root, 'docs/senders.md'), 'utf8')
    expect(page, 'node scripts/generate.ts writes it').toBe(withTables(page, names.map(senderNamed), forgeries))
  })
})
