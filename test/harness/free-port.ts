import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that refuses every socket. A port that was free a moment ago may be taken by a test that runs beside this one. */
export const NOBODY_LISTENS = 1

/**
 * Below those that the system gives away: who asks it for a port, or connects, would now and then be given the one that was found
 * here and is not in use yet. No browser refuses any of them.
 */
const FIRST = 20_000
const COUNT = 12_000
/** Each process begins elsewhere, however close their numbers are. */
const APART = 997
let next = process.pid * APART

/** Returns a port on which nobody listens, and another one each time. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no port from ${FIRST} on is free`)
}
