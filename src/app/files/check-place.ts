import { existsSync } from 'node:fs'
import { createDiskPlace } from '../../storage/files/disk-place.ts'
import type { Config } from '../config.ts'
import { openBucket } from './open-bucket.ts'

/** Says where files are kept with these settings, and why none can be kept there now; null: they can. */
export async function checkFilePlace(config: Config): Promise<{ place: string; fault: string | null }> {
  const { dataDir, databaseUrl, filesUrl } = config
  if (filesUrl !== null) {
    // The URL holds a secret, which is not shown.
    const { host, pathname } = new URL(filesUrl)
    const bucket = openBucket(config, filesUrl)
    const fault = await bucket.place.fault()
    await bucket.close()
    return { place: `the bucket ${pathname.slice(1)} at ${host}`, fault }
  }
  if (databaseUrl !== null) return { place: 'PostgreSQL', fault: null }
  // The first start makes the folder, and nothing before it.
  const fault = existsSync(dataDir) ? await createDiskPlace(dataDir).fault() : null
  return { place: `the folder files in ${dataDir}`, fault }
}
