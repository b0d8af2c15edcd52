// The algorithms that senders sign with, by the names that flows and the files of senders use.

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const
export const KEY_PAIR_ALGORITHMS = ['ed25519', 'ecdsa-p256', 'rsa-sha256'] as const

export type HmacAlgorithm = (typeof HMAC_ALGORITHMS)[number]
export type KeyPairAlgorithm = (typeof KEY_PAIR_ALGORITHMS)[number]
export type SignatureAlgorithm = HmacAlgorithm | KeyPairAlgorithm

export const isHmac = (algorithm: SignatureAlgorithm): algorithm is HmacAlgorithm =>
  HMAC_ALGORITHMS.some((name) => name === algorithm)
