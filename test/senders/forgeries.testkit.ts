// Makes forged requests out of genuine ones: twelve kinds, each as often as it can be made.
import { type Hash, type Lack, type Payload, type Sent, send, type Vendor } from './vendor.testkit.ts'

export interface Forged extends Sent {
  fields: Record<string, string>
}

interface Forgery {
  title: string
  /** What a vendor must have for it: without, the forgery cannot be made. */
  needs: readonly Lack[]
  make(vendor: Vendor, samples: readonly [Payload, Payload]): Sent[]
  fields?(vendor: Vendor): Record<string, string>
}

const HASHES: readonly Hash[] = ['md5', 'sha1', 'sha256', 'sha512']

export const FORGERIES: readonly Forgery[] = [
  {
    title: 'a changed byte',
    needs: ['body'],
    make(vendor, [sample]) {
      const { headers, body } = send(vendor, sample)
      const text = body.toString()
      return [{ headers, body: Buffer.from(vendor.change?.(text) ?? changed(text)) }]
    },
  },
  {
    title: 'another secret',
    needs: [],
    make: (vendor, [sample]) => [send(vendor, sample, { secret: vendor.otherSecret })],
  },
  {
    title: 'an empty secret',
    needs: [],
    make: (vendor, [sample]) => [send(vendor, sample, { secret: '' }), send(vendor, sample)],
    fields: (vendor) => vendor.emptyFields,
  },
  {
    title: 'a missing header',
    needs: [],
    make(vendor, [sample]) {
      if (vendor.unsign) {
        const body = structuredClone(sample.body)
        vendor.unsign(body)
        return [send({ ...vendor, fill: undefined }, { ...sample, body })]
      }
      const { headers, body } = send(vendor, sample)
      return vendor.authHeaders.flatMap((name) => [
        { headers: headers.filter(([header]) => header !== name), body },
        { headers: headers.map(([header, value]) => [header, header === name ? '' : value]), body },
      ])
    },
  },
  {
    title: 'a doubled header',
    needs: ['header'],
    make(vendor, [sample]) {
      const good = send(vendor, sample)
      const bad = send(vendor, sample, { secret: vendor.otherSecret, atMs: Date.now() - 1000 })
      return vendor.authHeaders.flatMap((name) => {
        const only = (sent: Sent) => sent.headers.filter(([header]) => header === name)
        const before = { headers: [...only(bad), ...good.headers], body: good.body }
        const after = { headers: [...good.headers, ...only(bad)], body: good.body }
        return [before, after, { headers: [...good.headers, ...only(good)], body: good.body }]
      })
    },
  },
  {
    title: 'an old time',
    needs: ['time'],
    make: (vendor, [sample]) =>
      [vendor.tolerance! + 5, 100_000].map((s) => send(vendor, sample, { atMs: Date.now() - s * 1000 })),
  },
  {
    title: 'a time to come',
    needs: ['time'],
    make: (vendor, [sample]) =>
      [vendor.tolerance! + 5, 100_000].map((s) => send(vendor, sample, { atMs: Date.now() + s * 1000 })),
  },
  {
    title: 'another prefix',
    needs: ['prefix'],
    make: (vendor, [sample]) => [send(vendor, sample, { prefix: vendor.otherPrefix! })],
  },
  {
    title: 'a cut signature',
    needs: [],
    make: (vendor, [sample]) =>
      [-1, -2, 8, 1, 0].map((end) => send(vendor, sample, { cut: (text) => text.slice(0, end) })),
  },
  {
    title: 'another algorithm',
    needs: ['signature'],
    make: (vendor, [sample]) =>
      HASHES.filter((hash) => hash !== vendor.way.hash).map((hash) => send(vendor, sample, { hash })),
  },
  {
    title: 'another encoding',
    needs: ['signature'],
    make: (vendor, [sample]) =>
      (['hex', 'base64', 'base64url'] as const)
        // The URL-safe alphabet differs in the padding at the least, which HMACs always have and key pairs have not.
        .filter((encoding) => encoding !== vendor.way.encoding && (encoding !== 'base64url' || vendor.fields['secret']))
        .map((encoding) => send(vendor, sample, { encoding })),
  },
  {
    title: "another body's signature",
    needs: ['body'],
    make(vendor, [sample, another]) {
      const { headers, body } = send(vendor, another)
      if (vendor.lift)
        return [{ headers, body: Buffer.from(vendor.lift(body.toString(), send(vendor, sample).body.toString())) }]
      return [{ headers, body: send(vendor, sample).body }]
    },
  },
]

/** Returns the forged requests, or what the vendor has not that such a forgery needs. */
export function forge(vendor: Vendor, forgery: Forgery, samples: readonly [Payload, Payload]): Forged[] | Lack {
  const lack = forgery.needs.find((need) => vendor.lacks.includes(need))
  if (lack) return lack
  const fields = forgery.fields?.(vendor) ?? vendor.fields
  return forgery.make(vendor, samples).map((sent) => ({ ...sent, fields }))
}

/** Changes the last letter that ends a value, so that the body still is what it was, with another content. */
function changed(text: string): string {
  const at = Math.max(...[...text.matchAll(/[a-z](?=["&]|$)/g)].map(({ index }) => index), text.search(/\d/))
  return text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)
}
