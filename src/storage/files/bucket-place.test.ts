import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BucketServer, startBucketServer } from '../../../test/harness/bucket-server.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { createHttpClient, type OutboundClient } from '../../outbound/http-client.ts'
import { OWN } from '../../outbound/servers.testkit.ts'
import { createBucketPlace, OBJECT_BYTES } from './bucket-place.ts'
import type { FilePlace } from './place.ts'

let server: BucketServer
let http: OutboundClient
let place: FilePlace
beforeAll(async () => {
  server = await startBucketServer()
  http = createHttpClient({ allow: ['loopback'], own: OWN, concurrency: 8, perHost: 8 })
  place = createBucketPlace(server.urlOf('kept/of/millrace'), http)
})
afterAll(async () => {
  await http.close()
  await server.stop()
})

async function* inParts(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 65_552) yield bytes.subarray(at, at + 65_552)
}

async function read(id: string, start: number, end: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of place.get(id, { start, end })) parts.push(part)
  return Buffer.concat(parts)
}

it('keeps files of one and of several objects, gives parts of them back, and deletes all of them', async () => {
  const large = randomBytes(OBJECT_BYTES * 2 + 1_000)
  const small = randomBytes(100)
  await place.put('blob_large', inParts(large))
  await place.put('blob_small', inParts(small))
  expect(server.objects()).toHaveLength(4)
  expect((await read('blob_large', 0, large.length)).equals(large)).toBe(true)
  const [start, end] = [OBJECT_BYTES - 10, OBJECT_BYTES * 2 + 10]
  expect((await read('blob_large', start, end)).equals(large.subarray(start, end))).toBe(true)
  expect(await read('blob_small', 90, 100)).toEqual(small.subarray(90))
  expect(await read('blob_missing', 0, 100)).toHaveLength(0)
  await place.remove('blob_large')
  await place.remove('blob_large')
  expect(server.objects()).toHaveLength(1)
  await place.remove('blob_small')
  expect(server.objects()).toHaveLength(0)
})

it('deletes what is left of a file that broke off', async () => {
  const broken = (async function* () {
    yield* inParts(Buffer.alloc(OBJECT_BYTES + 100_000))
    throw new Error('the sender has gone')
  })()
  await expect(place.put('blob_broken', broken)).rejects.toThrow('the sender has gone')
  expect(server.objects()).toHaveLength(1)
  await place.remove('blob_broken')
  expect(server.objects()).toHaveLength(0)
})

it('says why nothing can be kept, without the key', async () => {
  expect(await place.fault()).toBeNull()
  expect(await createBucketPlace(server.urlOf('other'), http).fault()).toBe('There is no such bucket.')
  const wrong = createBucketPlace(server.urlOf('kept', 'WRONG'), http)
  await expect(wrong.put('blob_x', inParts(Buffer.alloc(10)))).rejects.toThrow(StorageUnavailable)
  expect(await wrong.fault()).toMatch(/answers with 403/)
  expect(await wrong.fault()).not.toContain('WRONG')
})
