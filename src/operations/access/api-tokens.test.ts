import { describe, expect, it } from 'vitest'
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
  scope: 'read',
  createdAt: 0,
  createdBy: 'ada@example.com',
  userId: null,
  lastUsedAt: null,
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
    expect(tokens.find(SECRET, 0)).toBeNull()
  })

  it('have their use noted once a minute', async () => {
    const { store, reads, uses } = heldStore()
    const tokens = new ApiTokens(store, alone, failed)
    const reloading = tokens.reload()
    reads.shift()!()
    expect(await reloading).toEqual([])
    for (const now of [100_000, 100_001, 159_999, 160_000, 170_000]) expect(tokens.find(SECRET, now)?.id).toBe('tok_1')
    expect(uses).toEqual([100_000, 160_000])
    await tokens.remove('tok_1')
    expect(tokens.find(SECRET, 300_000)).toBeNull()
  })
})

describe('making a token', () => {
  it.each([
    ['read', 'write'],
    ['read', 'admin'],
    ['write', 'admin'],
  ] as const)('is refused to a holder of the scope %s who wants %s', async (own, wanted) => {
    const actor: Actor = { id: 'tok_1', name: 'token x', scope: own, userId: null, user: null }
    const making = createToken({} as AccessServices, actor, { name: 'more', scope: wanted })
    await expect(making).rejects.toMatchObject({ code: 'forbidden' })
  })
})
