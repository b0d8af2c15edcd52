// Reads a secret from a file below a folder, and from nowhere else: links are not followed, so that whoever may name a file cannot
// reach the key of this service, /proc or a device.
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'

const MOST_BYTES = 65_536

/** Throws an Error whose message says what is wrong, without the folder's path. */
export async function readSecretFile(folder: string, names: readonly string[]): Promise<string> {
  const shown = names.join('/')
  let path = folder
  for (const name of names.slice(0, -1)) {
    path = join(path, name)
    const stats = await lstat(path).catch(() => null)
    if (!stats?.isDirectory()) throw new Error(`there is no file ${shown} in the folder of secrets`)
  }
  path = join(path, names.at(-1)!)
  // A pipe that nobody writes to must not hold whoever opens it.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP' || error.code === 'EMLINK')
      throw new Error(`${shown} in the folder of secrets is a link, which is not followed`)
    if (error.code === 'EACCES') throw new Error(`${shown} in the folder of secrets may not be read by Millrace`)
    throw new Error(`there is no file ${shown} in the folder of secrets`)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`${shown} in the folder of secrets is no file`)
    if (stats.size > MOST_BYTES) throw new Error(`${shown} in the folder of secrets is larger than 64 KiB`)
    const bytes = Buffer.alloc(MOST_BYTES + 1)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    if (bytesRead > MOST_BYTES) throw new Error(`${shown} in the folder of secrets is larger than 64 KiB`)
    return asText(bytes.subarray(0, bytesRead), shown)
  } finally {
    await file.close()
  }
}

function asText(bytes: Buffer, shown: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${shown} in the folder of secrets is not UTF-8`)
  }
  // Editors and `echo` end a file with a line break, which is no part of the secret.
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new Error(`${shown} in the folder of secrets is empty`)
  return secret
}
