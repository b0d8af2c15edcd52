import { describe, expect, it } from 'vitest'
import { CODE } from '../../base/error-catalogue.ts'
import { ConnectionError, type Connections } from '../ports/connections.ts'
import { StorageUnavailable } from '../ports/storage-unavailable.ts'
import { get, runOf, set, useEngine, world } from '../world.testkit.ts'

useEngine()

/** Returns what fails so many times, and then returns the value. */
function failingTimes<T>(times: number, value: T, error: Error = new StorageUnavailable('away')): () => Promise<T> {
  let left = times
  return async () => {
    if (left-- > 0) throw error
    return value
  }
}

const READ = set('read', { user: '{{ connections.shop.user }}' })
const AUTH = { auth: { kind: 'connection', connection: 'shop' } }
const fields: Connections['fields'] = { shop: { user: 'ada', accessToken: 'token' } }

describe('a step whose connections need the database, while that is away', () => {
  const CASES: [string, object, Partial<Connections>][] = [
    ['checks that they are for the flow', READ, { fresh: failingTimes(2, undefined) }],
    [
      'gets a token for a template',
      set('read', { x: '{{ connections.shop.accessToken }}' }),
      { accessToken: failingTimes(2, 'new') },
    ],
    ['gets a credential', get('call', AUTH), { credential: failingTimes(2, { kind: 'bearer', token: 'it' }) }],
    ['gets TLS settings', get('call', { tls: { connection: 'shop' } }), { tls: failingTimes(2, null) }],
  ]
  it.each(CASES)('waits, and goes on when it is back: %s', async (_, step, connections) => {
    let troubles = 0
    world.storageTrouble = async () => {
      troubles++
    }
    world.connections = { fields, ...connections }
    const run = await runOf([step, get('next')])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await run.status()).toBe('succeeded')
    expect(troubles).toBe(2)
    expect(world.urls().at(-1)).toBe('https://x.test/next')
  })

  it('waits for a new token too, in place of one that was refused', async () => {
    let troubles = 0
    world.storageTrouble = async () => {
      troubles++
    }
    world.answer = () => (world.sent.length === 1 ? 401 : 200)
    world.connections = { fields, renewed: failingTimes(1, 'new') }
    const run = await runOf([get('call', AUTH)])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect(troubles).toBe(1)
    expect(world.sent).toHaveLength(2)
  })

  it('is interrupted when the process stops meanwhile, and is done after the next start', async () => {
    world.connections = { fields, fresh: failingTimes(2, undefined) }
    const run = await runOf([get('before'), READ])
    const walk = await run.walk()
    world.storageTrouble = async () => walk.interrupt()
    expect(await walk.advance()).toEqual({ state: 'interrupted' })
    expect(await run.statuses()).toEqual(['before succeeded'])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await run.status()).toBe('succeeded')
    expect(world.sent).toHaveLength(1)
  })

  it('fails at once by what is not the database', async () => {
    const refused = new ConnectionError(CODE.connection_not_for_flow, 'shop', 'is not for it', 'ask')
    world.connections = { fields, fresh: failingTimes(1, undefined, refused) }
    const run = await runOf([READ])
    await run.advance()
    expect(await run.run()).toMatchObject({ status: 'failed', error: { code: 'connection_not_for_flow' } })
  })
})
