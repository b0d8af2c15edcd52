// Keeps files in an S3-compatible bucket: each as a row of objects of at most 8 MiB, `<prefix>/<id>/0` and so on. Unlike the parts of a
// multipart upload, which nobody sees and which stay when they are never put together, these are found by the id alone.
import { createHash } from 'node:crypto'
import type { AwsClient } from 'aws4fetch'
import { CODE } from '../../base/error-catalogue.ts'
import { type HttpClient, OutboundError, type OutboundReply } from '../../engine/ports/http-client.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { FilePlace } from './place.ts'

export const OBJECT_BYTES = 8 * 1024 * 1024
/** How much of an object is read at once, into memory. */
const SLICE_BYTES = 2 * 1024 * 1024
const TRIES = 4
const FIRST_PAUSE_MS = 200
/** For a whole object, and for anything else. */
const PUT_WITHIN_MS = 120_000
const ANSWER_WITHIN_MS = 30_000
const DEFAULT_REGION = 'us-east-1'

/** Where the requests to a bucket go: `s3://KEY:SECRET@host/bucket/prefix?region=…&tls=…` */
export const bucketOrigin = (url: string): string => {
  const { host, searchParams } = new URL(url)
  return `${searchParams.get('tls') === 'false' ? 'http' : 'https'}://${host}`
}

/** `http` must be able to reach the bucket. */
export function createBucketPlace(url: string, http: HttpClient): FilePlace {
  const { username, password, pathname, searchParams } = new URL(url)
  const origin = bucketOrigin(url)
  const folder = pathname.replace(/\/+$/, '')
  const bucket = `${origin}/${pathname.split('/')[1]!}`
  const objectOf = (id: string, number: number) => `${origin}${folder}/${id}/${number}`
  let client: AwsClient | null = null
  const signer = async (): Promise<AwsClient> => {
    if (client) return client
    // The package is loaded where a bucket is used, and nowhere else.
    const { AwsClient } = await import('aws4fetch')
    client = new AwsClient({
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      service: 's3',
      region: searchParams.get('region') ?? DEFAULT_REGION,
    })
    return client
  }

  /** Sends a request until there is an answer that does not ask to try again. */
  const send = async (
    method: string,
    target: string,
    more: { body?: Buffer; range?: string } = {},
  ): Promise<OutboundReply> => {
    const { body, range } = more
    const headers: Record<string, string> = {
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    }
    if (range) headers['range'] = range
    for (let attempt = 1; ; attempt++) {
      const answer = await trySending(method, target, headers, body).catch((error: unknown) => error as Error)
      if (!(answer instanceof Error) && answer.status < 500 && answer.status !== 429) return answer
      if (attempt === TRIES) throw unavailable(answer)
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt * Math.random()))
    }
  }

  const trySending = async (
    method: string,
    target: string,
    headers: Record<string, string>,
    body: Buffer | undefined,
  ): Promise<OutboundReply> => {
    const signed = await (await signer()).sign(target, { method, headers })
    return http.send({
      method,
      url: target,
      headers: [...signed.headers, ['accept-encoding', 'identity'] as const].map(([name, value]) => ({
        name,
        value,
        credential: true,
      })),
      body: body ?? null,
      timeoutMs: body ? PUT_WITHIN_MS : ANSWER_WITHIN_MS,
      followRedirects: false,
      hops: 0,
      signal: null,
    })
  }

  /** Sends a request whose answer has no content that matters. Returns false if there is no such object. */
  const order = async (method: string, target: string, body?: Buffer): Promise<boolean> => {
    const answer = await send(method, target, body && { body })
    if (answer.status === 404) return false
    if (!isOk(answer)) throw unavailable(answer)
    return true
  }

  return {
    name: 'bucket',

    async put(id, frames) {
      let number = 0
      let parts: Uint8Array[] = []
      let size = 0
      const flush = async () => {
        if (!(await order('PUT', objectOf(id, number), Buffer.concat(parts))))
          throw unavailable('there is no such bucket')
        number++
        parts = []
        size = 0
      }
      for await (const frame of frames)
        for (let used = 0; used < frame.length; ) {
          const taken = frame.subarray(used, used + OBJECT_BYTES - size)
          parts.push(taken)
          size += taken.length
          used += taken.length
          if (size === OBJECT_BYTES) await flush()
        }
      if (size > 0) await flush()
    },

    async *get(id, { start, end }) {
      for (let at = start; at < end; ) {
        const number = Math.floor(at / OBJECT_BYTES)
        const until = Math.min(end, (number + 1) * OBJECT_BYTES, at + SLICE_BYTES)
        const base = number * OBJECT_BYTES
        const answer = await send('GET', objectOf(id, number), { range: `bytes=${at - base}-${until - base - 1}` })
        if (answer.status === 404 || answer.status === 416) return
        if (!isOk(answer)) throw unavailable(answer)
        yield answer.body
        if (answer.body.length !== until - at) return
        at = until
      }
    },

    async remove(id) {
      // The objects are put in order and deleted from the last on: so those that are left are always the first ones.
      let count = 0
      while (await order('HEAD', objectOf(id, count))) count++
      for (let number = count; number >= 0; number--) await order('DELETE', objectOf(id, number))
    },

    async fault() {
      try {
        return (await order('HEAD', `${bucket}/`)) ? null : 'There is no such bucket.'
      } catch (error) {
        return (error as Error).message
      }
    },
  }
}

const isOk = ({ status }: OutboundReply): boolean => status >= 200 && status < 300

/** The message names no address and no key; that of a proxy is told, for it is not the bucket that fails. */
function unavailable(reason: OutboundReply | Error | string): StorageUnavailable {
  if (typeof reason === 'string') return new StorageUnavailable(`The bucket of MILLRACE_FILES_URL fails: ${reason}.`)
  if (!(reason instanceof Error))
    return new StorageUnavailable(`The bucket of MILLRACE_FILES_URL answers with ${reason.status}.`)
  const why = reason instanceof OutboundError && reason.code === CODE.proxy_failed ? `: ${reason.message}` : ''
  return new StorageUnavailable(`The bucket of MILLRACE_FILES_URL cannot be reached${why}.`, { cause: reason })
}
