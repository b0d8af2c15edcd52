// Holds the samples that Millrace signs against what the vendor would have signed.
import { describe, expect, it } from 'vitest'
import { hashing } from '../../src/base/hashing.ts'
import { signSample } from '../../src/operations/deliveries/samples/sign-sample.ts'
import { senderNamed } from './sender-named.testkit.ts'
import { URL_OF_FLOW, type Way } from './vendor.testkit.ts'
import { VENDORS } from './vendors.testkit.ts'

const NOW = Date.UTC(2026, 10, 16, 12)

/** Key pairs cannot be signed with here, and Box writes its time in another zone. */
const OTHERS = ['discord', 'sendgrid', 'box']

describe('a sample that Millrace signs', () => {
  it.each(Object.entries(VENDORS).filter(([name]) => !OTHERS.includes(name)))(
    'is signed as %s signs',
    (name, vendor) => {
      for (const sample of senderNamed(name).samples) {
        const signing = { fields: vendor.fields, url: URL_OF_FLOW, nowMs: NOW, seed: 'req_1', hashing }
        const { rawHeaders, body } = signSample(senderNamed(name), sample, signing)
        const headers = Object.fromEntries(
          rawHeaders.flatMap((text, i) => (i % 2 ? [] : [[text.toLowerCase(), rawHeaders[i + 1]!]])),
        )
        const way: Way = { ...vendor.way, atMs: NOW, url: URL_OF_FLOW }
        for (const [header, value] of vendor.sign(body, way, { headers }))
          expect(headers[header.toLowerCase()], header).toBe(value)
        if (!vendor.fill) continue
        const filled = JSON.parse(body.toString())
        vendor.fill(filled, way)
        expect(JSON.parse(body.toString())).toEqual(filled)
      }
    },
  )
})
