// Opens the vault at the start: finds or makes the key, and refuses a key that does not match the stored secrets.

import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_FILE, makeFolder } from '../base/data-folder.ts'
import { KeyRefused } from '../base/refusals.ts'
import type { VaultRecords } from '../operations/ports/upkeep.ts'
import { isKeyText, KeyRing } from './key-ring.ts'
import { Vault } from './vault.ts'

const CHECK_TEXT = 'millrace'
const CHECK_BINDING = 'vault'

/** The storage of the secrets that the key opens. */
export interface SealedPlace {
  kind: 'sqlite' | 'postgres'
  place: string
}

/** `keys`: of MILLRACE_SECRET_KEY; without it the folder holds the key. */
export async function openVault(
  keys: readonly string[] | null,
  folder: string,
  records: VaultRecords,
  { kind, place }: SealedPlace = { kind: 'sqlite', place: folder },
): Promise<Vault> {
  const check = await records.check()
  // Each process would make its own key; processes that share a database need the same one, so a person must give it.
  if (keys === null && kind === 'postgres' && !existsSync(join(folder, KEY_FILE)))
    throw new KeyRefused(
      `MILLRACE_SECRET_KEY is not set, and there is no ${join(folder, KEY_FILE)}. With PostgreSQL every process needs the same key: ` +
        'make one with `openssl rand -base64 32`, keep it, and set MILLRACE_SECRET_KEY to it in all of them. Nothing was changed.',
    )
  const vault = new Vault(new KeyRing(keys ?? [keyOfFolder(folder, check === null)]))
  if (check !== null && vault.unseal(check.sealed, CHECK_BINDING) === null)
    throw new KeyRefused(
      `The secrets in ${place} were sealed with another key than ${keys ? 'MILLRACE_SECRET_KEY' : join(folder, KEY_FILE)} gives. ` +
        'Set MILLRACE_SECRET_KEY to the key they were sealed with. Nothing was changed.',
    )
  // Stored secrets were sealed with the keys of the last start: they need a check only if one of those keys is missing now.
  const hasAll = check?.keyIds?.every((id) => vault.knows(id)) ?? false
  const missing = hasAll ? [] : (await records.keyIdsInUse()).filter((id) => !vault.knows(id))
  if (missing.length)
    throw new KeyRefused(
      `Some secrets in ${place} are sealed with a key (${missing.join(', ')}) that is not given. ` +
        'Add it to the end of the list in MILLRACE_SECRET_KEY. Nothing was changed.',
    )
  if (check?.keyIds?.join() !== vault.keyIds.join())
    await records.setCheck(vault.seal(CHECK_TEXT, CHECK_BINDING), vault.keyIds)
  return vault
}

function keyOfFolder(folder: string, mayMake: boolean): string {
  const file = join(folder, KEY_FILE)
  if (!existsSync(file)) {
    if (mayMake) return makeKey(folder, file)
    throw new KeyRefused(
      `The folder ${folder} holds sealed secrets, but their key, ${file}, is missing. ` +
        'Restore that file, or set MILLRACE_SECRET_KEY to the key. Nothing was changed.',
    )
  }
  const text = readKey(file).trim()
  if (isKeyText(text)) return text
  throw new KeyRefused(
    `The file ${file} does not hold a key of 32 bytes in base64. Restore it, or set MILLRACE_SECRET_KEY to the key. Nothing was changed.`,
  )
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new KeyRefused(
      `The key in ${file} cannot be read: ${(error as Error).message}. ` +
        'Give the file to the user that Millrace runs as, or set MILLRACE_SECRET_KEY to the key. Nothing was changed.',
    )
  }
}

/** The key is synced before its file gets its name: a crash leaves no partial key, and no lost key has sealed anything. */
function makeKey(folder: string, file: string): string {
  makeFolder(folder)
  const text = randomBytes(32).toString('base64')
  const unfinished = `${file}.${process.pid}`
  const handle = openSync(unfinished, 'w', 0o600)
  writeSync(handle, `${text}\n`)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(unfinished, file)
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
  return text
}
