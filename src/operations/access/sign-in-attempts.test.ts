import { describe, expect, it } from 'vitest'
import { RateLimited } from '../operation-error.ts'
import { type Attempter, SignInAttempts } from './sign-in-attempts.ts'

const NOW = 1_800_000_000_000
const by = (network: string, known: string | null = null): Attempter => ({ network, account: 'ada@example.com', known })

const wrong = () => Promise.reject(new Error('wrong password'))
const right = () => Promise.resolve('in')

async function isRefused(
  attempts: SignInAttempts,
  who: Attempter,
  now: number,
  work: () => Promise<unknown> = wrong,
): Promise<boolean> {
  try {
    await attempts.attempt(who, now, work)
    return false
  } catch (error) {
    return error instanceof RateLimited
  }
}

/** Guesses from as many networks as it takes for the account itself to be slowed down. */
async function guessFromEverywhere(attempts: SignInAttempts): Promise<number> {
  let refused = 0
  for (let guess = 0; guess < 120; guess++) if (await isRefused(attempts, by(`203.0.113.${guess % 12}`), NOW)) refused++
  return refused
}

describe('guesses from many networks', () => {
  it('are slowed down for the account, and let one in after six seconds', async () => {
    const attempts = new SignInAttempts()
    expect(await guessFromEverywhere(attempts)).toBe(20)
    expect(await isRefused(attempts, by('198.51.100.4'), NOW, right)).toBe(true)
    expect(await isRefused(attempts, by('198.51.100.4'), NOW + 6_000, right)).toBe(false)
    // A success is given back.
    expect(await isRefused(attempts, by('198.51.100.5'), NOW + 6_000, right)).toBe(false)
  })

  it('do not keep out a browser that the user has signed in with before', async () => {
    const attempts = new SignInAttempts()
    await guessFromEverywhere(attempts)
    expect(await isRefused(attempts, by('203.0.113.1', 'device'), NOW, right)).toBe(false)
  })
})

it('leaves places to known browsers while strangers have all of theirs', async () => {
  const attempts = new SignInAttempts()
  const waiting: (() => void)[] = []
  const slow = () => new Promise<string>((resolve) => waiting.push(() => resolve('in')))
  const underWay = Array.from({ length: 50 }, (_, i) => attempts.attempt(by(`net ${i}`), NOW, slow))
  expect(await isRefused(attempts, by('another net'), NOW, right)).toBe(true)
  expect(await isRefused(attempts, by('another net', 'device'), NOW, right)).toBe(false)
  for (const finish of waiting) finish()
  await Promise.all(underWay)
  expect(await isRefused(attempts, by('another net'), NOW, right)).toBe(false)
})
