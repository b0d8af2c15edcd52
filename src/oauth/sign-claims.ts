// Signs the claims of a connection as a JSON Web Token (RFC 7519), for a server that knows the public key (RFC 7523).
import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { readPrivateKey } from '../base/signing/private-key.ts'
import { type JwtSettings, TokenRefused, UNUSABLE_KEY } from '../operations/ports/oauth-client.ts'

/** Short enough for all servers: Salesforce takes 5 minutes, GitHub 10, Google 60. */
const LIFETIME_S = 300
/** A server whose clock is behind would take the claims for those of the future. */
const CLOCKS_APART_S = 60

/** Rejects with TokenRefused if the key cannot sign. */
export async function signClaims(settings: JwtSettings): Promise<{ token: string; expiresInMs: number }> {
  const { tokenUrl, privateKey, algorithm, keyId, claims } = settings
  const key = readPrivateKey(privateKey, algorithm)
  if (typeof key === 'string') throw new TokenRefused(UNUSABLE_KEY, `privateKey ${key}`)
  const nowS = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({ ...(tokenUrl !== null && { aud: tokenUrl }), ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== null && { kid: keyId }) })
    .setIssuedAt(nowS - CLOCKS_APART_S)
    .setExpirationTime(nowS + LIFETIME_S)
    .setJti(randomUUID())
    .sign(key)
  return { token, expiresInMs: LIFETIME_S * 1000 }
}
