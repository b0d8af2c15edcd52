import { expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const turns = async () => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Sends bodies through, each of which is done when the test says so. */
function setUp() {
  const budget = new BodyBudget(1_000)
  const begun: string[] = []
  const reads = new Map<string, (values: number) => void>()
  const ends = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    reads,
    send: (name: string, bytes: number) =>
      budget.inTurn(bytes, (read) => {
        begun.push(name)
        reads.set(name, read)
        const end = Promise.withResolvers<string>()
        ends.set(name, end)
        return end.promise
      }),
    async end(name: string, error?: Error) {
      if (error) ends.get(name)!.reject(error)
      else ends.get(name)!.resolve(name)
      await turns()
    },
  }
}

it('processes as many large bodies at once as fit if all are the densest JSON, in order, and small ones always', async () => {
  const { begun, send, end } = setUp()
  const all = ['a', 'b', 'c', 'd'].map((name) => send(name, 600_000))
  const huge = send('huge', 9_000_000)
  const last = send('last', 20_000)
  void send('small', 16_384)
  await turns()
  expect(begun).toEqual(['a', 'b', 'small'])
  await end('a')
  expect(begun.slice(3)).toEqual(['c'])
  await Promise.all([expect(all[1]).rejects.toThrow('refused'), end('b', new Error('refused'))])
  expect(begun.slice(4)).toEqual(['d'])
  await end('c')
  // It is too large for any others beside it, and nothing passes it.
  expect(begun).toHaveLength(5)
  await end('d')
  expect(begun.slice(5)).toEqual(['huge'])
  await end('huge')
  expect(begun.slice(6)).toEqual(['last'])
  await end('last')
  expect(await Promise.all([all[0], all[2], all[3], huge, last])).toEqual(['a', 'c', 'd', 'huge', 'last'])
})

it('processes more as soon as it is known what the values of those before take', async () => {
  const { begun, reads, send, end } = setUp()
  for (const name of ['a', 'b', 'c', 'd', 'e']) void send(name, 1_000_000)
  await turns()
  expect(begun).toEqual(['a'])
  reads.get('a')!(5_000_000)
  await turns()
  expect(begun).toEqual(['a', 'b'])
  reads.get('b')!(60_000_000)
  await turns()
  expect(begun).toEqual(['a', 'b'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'c'])
})
