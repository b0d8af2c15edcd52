// Starts an S3-compatible server with one bucket.
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export interface BucketServer {
  /** Returns the URL of a bucket of this server. */
  urlOf(bucket: string, key?: string): string
  /** Returns the objects that the bucket holds. */
  objects(): string[]
  stop(): Promise<void>
}

export async function startBucketServer(): Promise<BucketServer> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bucket-'))
  const bucket = 'kept'
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // Names of hosts are no names of buckets.
    vhostBuckets: false,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  })
  const { address, port } = await server.run()
  return {
    urlOf: (path, key = 'S3RVER') => `s3://${key}:S3RVER@${address}:${port}/${path}?tls=false`,
    objects: () => globSync(`${bucket}/**/*_object`, { cwd: folder }),
    async stop() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
