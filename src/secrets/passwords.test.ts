import { describe, expect, it } from 'vitest'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords()

describe('passwords', () => {
  it('match their own hash, in whatever form of Unicode they were typed', async () => {
    const hash = await passwords.hash('caf\u00e9 au lait')
    expect(await passwords.match('caf\u00e9 au lait', hash)).toBe(true)
    expect(await passwords.match('cafe\u0301 au lait', hash)).toBe(true)
    expect(await passwords.match('cafe au lait', hash)).toBe(false)
    expect(await passwords.match('', hash)).toBe(false)
  })

  it('have a different hash each time, which holds its cost and nothing of the password', async () => {
    const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
    expect(one).not.toBe(two)
    expect(one).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  })

  it('match hashes of another cost', async () => {
    // scrypt('correct horse', 'salt', N=1024, r=8, p=1), by Python's hashlib.
    const hash = 'scrypt$1024$8$1$c2FsdA$-jRLtWGqwbUzRvMN4-1uXPEu-5SPbkMPyA7E6CwOjKs'
    expect(await passwords.match('correct horse', hash)).toBe(true)
    expect(await passwords.match('correct donkey', hash)).toBe(false)
  })

  it('match nothing where there is no hash', async () => {
    expect(await passwords.match('correct horse', null)).toBe(false)
  })

  it('stay apart when many come at once', async () => {
    const hash = await passwords.hash('correct horse')
    const guesses = Array.from({ length: 9 }, (_, i) => (i === 4 ? 'correct horse' : `guess ${i}`))
    const matches = await Promise.all(guesses.map((guess) => passwords.match(guess, hash)))
    expect(matches.indexOf(true)).toBe(4)
    expect(matches.filter(Boolean)).toHaveLength(1)
  })
})
