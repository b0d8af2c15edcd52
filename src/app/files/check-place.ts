import { existsSync } from 'node:fs'
import { createBucketPlace } from '../../storage/files/bucket-place.ts'
import { createDiskPlace } from '../../storage/files/disk-place.ts'
import type { Config } from '../config.ts'

/** Says where files are kept with these settings, and why none can be kept there now; null: they can. */
export async function checkFilePlace(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'filesUrl'>,
): Promise<{ place: string; fault: string | null }> {
  const { dataDir, databaseUrl, filesUrl } = config
  if (filesUrl !== null) {
    // The URL holds a secret, which is not shown.
    const { host, pathname } = new URL(filesUrl)
    return { place: `the bucket ${pathname.slice(1)} at ${host}`, fault: await createBucketPlace(filesUrl).fault() }
  }
  if (databaseUrl !== null) return { place: 'PostgreSQL', fault: null }
  // The first start makes the folder, and nothing before it.
  const fault = existsSync(dataDir) ? await createDiskPlace(dataDir).fault() : null
  return { place: `the folder files in ${dataDir}`, fault }
}
