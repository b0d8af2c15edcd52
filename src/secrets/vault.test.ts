import { describe, expect, it } from 'vitest'
import { testKey, testVault } from './keys.testkit.ts'

describe('a sealed text', () => {
  const vault = testVault(1)

  it.each(['hunter2', '', 'é 𝄞 \0 \n', 'x'.repeat(100_000)])('comes back as it was', (plain) => {
    const sealed = vault.seal(plain, 'flow:a')
    expect(sealed).toMatch(/^sealed:[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/)
    expect(vault.unseal(sealed, 'flow:a')).toBe(plain)
  })

  it('comes back if it is as large as all that a delivery brings', () => {
    const plain = 'x'.repeat(24_000_000)
    expect(vault.unseal(vault.seal(plain, 'flow:a'), 'flow:a') === plain).toBe(true)
  })

  it('is another one each time, so that equal secrets do not show', () => {
    const sealed = Array.from({ length: 1000 }, () => vault.seal('hunter2', 'flow:a'))
    expect(new Set(sealed.map((text) => text.split('.')[1])).size).toBe(1000)
  })

  it('is refused in another row', () => {
    expect(vault.unseal(vault.seal('hunter2', 'flow:a'), 'flow:b')).toBeNull()
  })

  it('is refused when any part of it was changed', () => {
    const sealed = vault.seal('hunter2', 'flow:a')
    for (let i = 'sealed:'.length; i < sealed.length - 1; i++) {
      const other = sealed[i] === 'A' ? 'B' : 'A'
      expect(vault.unseal(sealed.slice(0, i) + other + sealed.slice(i + 1), 'flow:a')).toBeNull()
    }
    for (let end = 0; end < sealed.length; end++) expect(vault.unseal(sealed.slice(0, end), 'flow:a')).toBeNull()
  })

  it('is refused under another name of a key', () => {
    const both = testVault(1, 2)
    const sealed = both.seal('hunter2', 'flow:a')
    const [id, otherId] = both.keyIds
    expect(both.unseal(sealed.replace(id!, otherId!), 'flow:a')).toBeNull()
  })

  it('does not hold the key', () => {
    expect(vault.seal('hunter2', 'flow:a')).not.toContain(testKey(1).slice(0, 8))
  })
})

describe('a list of keys', () => {
  it('encrypts with the first and decrypts with all', () => {
    const old = testVault(1)
    const rotated = testVault(2, 1)
    expect(rotated.unseal(old.seal('hunter2', 'flow:a'), 'flow:a')).toBe('hunter2')
    const sealed = rotated.seal('hunter2', 'flow:a')
    expect(testVault(2).unseal(sealed, 'flow:a')).toBe('hunter2')
    expect(old.unseal(sealed, 'flow:a')).toBeNull()
    expect(rotated.keyIds).toEqual([...testVault(2).keyIds, ...old.keyIds])
  })
})
