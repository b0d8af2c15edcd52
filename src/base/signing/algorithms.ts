// Signs and verifies with the algorithms that senders use.
import { createSign, createVerify, type KeyObject, sign, verify } from 'node:crypto'
import type { KeyPairAlgorithm, SignatureAlgorithm } from './algorithm-names.ts'

/** The number of bytes of a signature; null if it varies. */
export const SIGNATURE_BYTES: Readonly<Record<SignatureAlgorithm, number | null>> = {
  sha1: 20,
  sha256: 32,
  sha512: 64,
  ed25519: 64,
  'ecdsa-p256': null,
  'rsa-sha256': null,
}

/** Returns whether the signature fits. One that has no valid form does not. */
export function isSignedBy(
  algorithm: KeyPairAlgorithm,
  key: KeyObject,
  parts: readonly Uint8Array[],
  signature: Uint8Array,
): boolean {
  if (algorithm === 'ed25519') return verify(null, Buffer.concat(parts), key, signature)
  const verifying = createVerify('sha256')
  for (const part of parts) verifying.update(part)
  return verifying.verify(key, signature)
}

export function signWith(algorithm: KeyPairAlgorithm, key: KeyObject, parts: readonly Uint8Array[]): Buffer {
  if (algorithm === 'ed25519') return sign(null, Buffer.concat(parts), key)
  const signing = createSign('sha256')
  for (const part of parts) signing.update(part)
  return signing.sign(key)
}
