import { exportJWK, generateKeyPair, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProviderKeys } from './provider-keys.ts'

const keyOf = async (kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const token = () => new SignJWT({ sub: kid }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
  return { jwk, token }
}
const checking = (token: string) => async (keys: JWTVerifyGetKey) => (await jwtVerify(token, keys)).payload.sub

describe('the keys of a provider', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('are fetched again when it signs with another', async () => {
    const [old, next] = [await keyOf('old'), await keyOf('next')]
    let published = [old.jwk]
    const fetch = vi.fn(async () => ({ keys: published }))
    const keys = new ProviderKeys(fetch)
    expect(await keys.verify(checking(await old.token()))).toBe('old')
    published = [next.jwk]
    vi.setSystemTime(Date.now() + 30_000)
    expect(await keys.verify(checking(await next.token()))).toBe('next')
    expect(fetch).toHaveBeenCalledTimes(2)
    // What the provider signed with before is not accepted any more.
    await expect(keys.verify(checking(await old.token()))).rejects.toThrow('no applicable key found')
  })

  it('are asked for once in half a minute, however many tokens name unknown ones', async () => {
    const [known, unknown] = [await keyOf('known'), await keyOf('unknown')]
    const fetch = vi.fn(async () => ({ keys: [known.jwk] }))
    const keys = new ProviderKeys(fetch)
    const token = await unknown.token()
    for (let i = 0; i < 100; i++) await expect(keys.verify(checking(token))).rejects.toThrow('no applicable key found')
    expect(fetch).toHaveBeenCalledTimes(1)
    vi.setSystemTime(Date.now() + 30_000)
    await Promise.allSettled(Array.from({ length: 100 }, () => keys.verify(checking(token))))
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('stay while it does not answer, and it is not asked for each token', async () => {
    const [known, unknown] = [await keyOf('known'), await keyOf('unknown')]
    let isDown = true
    const fetch = vi.fn(async () => {
      if (isDown) throw new Error('it is down')
      return { keys: [known.jwk] }
    })
    const keys = new ProviderKeys(fetch)
    const [right, wrong] = [await known.token(), await unknown.token()]
    for (let i = 0; i < 10; i++) await expect(keys.verify(checking(right))).rejects.toThrow('it is down')
    expect(fetch).toHaveBeenCalledTimes(1)
    isDown = false
    vi.setSystemTime(Date.now() + 1_000)
    expect(await keys.verify(checking(right))).toBe('known')
    isDown = true
    vi.setSystemTime(Date.now() + 30_000)
    for (let i = 0; i < 10; i++) await expect(keys.verify(checking(wrong))).rejects.toThrow('it is down')
    expect(await keys.verify(checking(right))).toBe('known')
    expect(fetch).toHaveBeenCalledTimes(3)
  })
})
