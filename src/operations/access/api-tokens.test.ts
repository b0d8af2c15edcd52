import { describe, expect, it } from 'vitest'
import { UNIONS } from '../../base/scopes.ts'
import type { Actor, TokenRecord, TokenStore } from '../ports/access.ts'
import type { Together } from '../ports/audit.ts'
import { ApiTokens } from './api-tokens.ts'
import { createToken } from './manage-tokens.ts'
import { digestOf } from './secret-code.ts'
import type { AccessServices } from './services.ts'

const SECRET = 'mr_a-token'

const record = (): TokenRecord => ({
  id: 'tok_1',
  digest: digestOf(SECRET),
  name: 'deploy',
  scopes: UNIONS.read,
  createdAt: 0,
  createdBy: 'ada@example.com',
  userId: null,
  madeBy: null,
  expiresAt: null,
  limit: null,
  lastUsedAt: null,
  lastAddress: null,
})

/** Creates a store that answers when the test says so. */
function heldStore() {
  const rows = new Map([['tok_1', record()]])
  const reads: (() => void)[] = []
  const uses: number[] = []
  const store: TokenStore = {
    find: async (digest) => [...rows.values()].find((row) => row.digest === digest) ?? null,
    all: () => {
      const found = [...rows.values()]
      return new Promise((resolve) => reads.push(() => resolve(found)))
    },
    add: async (token) => rows.set(token.id, token).size > 0,
    async remove(id) {
      const found = rows.get(id) ?? null
      rows.delete(id)
      return found
    },
    removeOf: async () => {},
    used: async (_id, at) => void uses.push(at),
  }
  return { store, reads, uses }
}

const failed = (error: unknown) => {
  throw error
}

/** Runs work at once, without a transaction. */
const alone: Together = { run: (work) => work(), last: (work) => work(), after: async (then) => then() }

describe('tokens in memory', () => {
  it('do not come back when one is revoked while the list is being read', async () => {
    const { store, reads } = heldStore()
    const tokens = new ApiTokens(store, alone, failed)
    const reloading = tokens.reload()
    await tokens.remove('tok_1')
    reads.shift()!()
    await new Promise((resolve) => setImmediate(resolve))
    reads.shift()!()
    await reloading
    expect(tokens.find(SECRET, 0, '::1')).toBeNull()
  })

  it('have their use noted once a minute', async () => {
    const { store, reads, uses } = heldStore()
    const tokens = new ApiTokens(store, alone, failed)
    const reloading = tokens.reload()
    reads.shift()!()
    expect(await reloading).toEqual([])
    for (const now of [100_000, 100_001, 159_999, 160_000, 170_000])
      expect(tokens.find(SECRET, now, '::1')?.id).toBe('tok_1')
    expect(uses).toEqual([100_000, 160_000])
    await tokens.remove('tok_1')
    expect(tokens.find(SECRET, 300_000, '::1')).toBeNull()
  })
})

describe('a token with an end', () => {
  it('works until then, to the millisecond, and not after', async () => {
    const { store, reads } = heldStore()
    const tokens = new ApiTokens(store, alone, failed)
    await tokens.add({ ...record(), expiresAt: 5_000 })
    reads.shift()
    expect(tokens.find(SECRET, 4_999, '192.0.2.1')).toMatchObject({ lastUsedAt: null })
    expect(tokens.find(SECRET, 5_000, '192.0.2.1')).toBeNull()
  })
})

describe('making a token', () => {
  it.each([
    ['read', 'write'],
    ['read', 'admin'],
    ['write', 'admin'],
  ] as const)('is refused to a holder of the scope %s who wants %s', async (own, wanted) => {
    const actor: Actor = { id: 'tok_1', name: 'token x', scopes: UNIONS[own], limit: null, userId: null, user: null }
    const making = createToken({} as AccessServices, actor, { name: 'more', scope: wanted, expiresAt: null })
    await expect(making).rejects.toMatchObject({ code: 'forbidden' })
  })
})
