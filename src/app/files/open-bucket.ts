// Opens the bucket of MILLRACE_FILES_URL, over the client that all requests take.
import { bucketOrigin, createBucketPlace } from '../../storage/files/bucket-place.ts'
import type { FilePlace } from '../../storage/files/place.ts'
import type { Config } from '../config.ts'
import { createOutboundClient, hostAndPort } from '../outbound-client.ts'

export function openBucket(config: Config, url: string): { place: FilePlace; close(): Promise<void> } {
  // The operator names the bucket, which may be on a private address: only this client may reach it.
  const egressAllow = [...config.egressAllow, hostAndPort(bucketOrigin(url))]
  const http = createOutboundClient({ ...config, egressAllow, httpPerHost: config.httpConcurrency })
  return { place: createBucketPlace(url, http), close: () => http.close() }
}
