// Reads the private keys that sign JSON Web Tokens, and says what is wrong with one.
import { createPrivateKey, type KeyObject } from 'node:crypto'

const RSA_BITS = { least: 2048, most: 8192 }

/** What each algorithm of RFC 7518 and RFC 8037 signs with. */
const CURVES: Record<string, string | null> = {
  RS256: null,
  RS384: null,
  RS512: null,
  PS256: null,
  PS384: null,
  PS512: null,
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
  EdDSA: 'ed25519',
}
export const JWT_ALGORITHMS: readonly string[] = Object.keys(CURVES)

/** Takes every form of PEM that has no passphrase: PKCS #8, PKCS #1 and SEC 1. Returns a text that says why it is none. */
export function readPrivateKey(pem: string, algorithm: string): KeyObject | string {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return /ENCRYPTED/.test(pem)
      ? 'is encrypted: remove its passphrase, for example with openssl pkey'
      : 'is no private key in PEM: it begins with -----BEGIN PRIVATE KEY-----, on lines of its own (a \\n in JSON is a line break)'
  }
  const curve = CURVES[algorithm]
  if (curve === undefined) return `cannot be used with the algorithm ${algorithm}`
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (curve !== null)
    return (details?.namedCurve ?? type) === curve ? key : `does not fit ${algorithm}, which needs a key of ${curve}`
  const bits = details?.modulusLength ?? 0
  if (type !== 'rsa') return `does not fit ${algorithm}, which needs an RSA key`
  return bits >= RSA_BITS.least && bits <= RSA_BITS.most
    ? key
    : `has ${bits} bits; an RSA key needs ${RSA_BITS.least} to ${RSA_BITS.most}`
}
