// Who asks: the bearer token of the request.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../operations/services.ts'

export type Authenticate = (authorization: string | undefined) => Actor | null

const digest = (text: string) => createHash('sha256').update(text).digest()

export function createAuthenticate(adminToken: string | null): Authenticate {
  const expected = adminToken === null ? null : digest(adminToken)
  return (authorization) => {
    const token = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]
    if (!token || !expected || !timingSafeEqual(digest(token), expected)) return null
    return { id: null, name: 'admin token', scope: 'admin' }
  }
}
