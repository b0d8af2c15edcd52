// Creates vaults and redactors for tests.
import { KeyRing } from './key-ring.ts'
import { Redactor } from './redactor.ts'
import { createProtect } from './secret-keeping.ts'
import { Vault } from './vault.ts'

/** Returns a key that depends on the number. */
export const testKey = (n: number): string => Buffer.alloc(32, n).toString('base64')

export const testVault = (...keys: number[]): Vault => new Vault(new KeyRing(keys.map(testKey)))

export function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

export const testProtect = (...secrets: string[]) => createProtect(testVault(1), redactorOf(...secrets), Date.now)
