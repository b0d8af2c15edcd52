// Kills processes while callbacks race their waits: what was acknowledged is taken exactly once, and no run is stuck.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { callbackRace, racingFlow } from '../harness/callback-race.ts'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

/** With CALLBACK_RUNS=2000 the process is killed 20 times; the suite finds the same races with fewer. */
const RUNS = Number(process.env['CALLBACK_RUNS'] ?? 120)
const KILLS = RUNS > 1_000 ? 20 : 5
const AT_ONCE = 8

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('kill -9 while callbacks race their waits', () => {
  it('takes every acknowledged callback once, and lets no run wait for ever', { timeout: 600_000 }, async () => {
    const port = await freePort()
    let server: MillraceProcess = await spawnMillrace(folder, port)
    const race = await callbackRace(() => server, Math.random)
    const { flow } = await server.publish(racingFlow(race.upstream.url))
    const perKill = Math.ceil(RUNS / KILLS)
    for (let kill = 0; kill < KILLS; kill++) {
      const starts: Promise<void>[] = []
      for (let i = 0; i < perKill; i++) {
        starts.push(race.start(() => server, flow.webhook.id))
        if (starts.length % AT_ONCE === 0) await starts.at(-AT_ONCE)
      }
      await race.asked((kill + 1) * perKill - Math.floor(perKill / 2))
      server.child.kill('SIGKILL')
      await server.exited
      server = await spawnMillrace(folder, port)
      await Promise.all(starts)
    }
    await race.acknowledged()
    await race.check(server)
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await race.upstream.close()
  })
})

describe('a callback for a run that is cancelled in the same moment', () => {
  it('is taken or refused, and the reply tells the truth', { timeout: 60_000 }, async () => {
    const port = await freePort()
    const place = temporaryFolder()
    const server = await spawnMillrace(place, port)
    const { post } = await server.publish({
      name: 'Print',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'printed', kind: 'wait', callback: {} },
        { id: 'rest', kind: 'wait', seconds: 600 },
      ],
    })
    const ids = await Promise.all(Array.from({ length: 40 }, async () => (await post({})).body.id as string))
    const seen = { taken: 0, refused: 0 }
    for (const id of ids) {
      await server.runEnded(id, ['waiting'])
      const [{ url }] = (await server.api('GET', `/runs/${id}`)).body.callbacks
      const send = () =>
        fetch(server.url + new URL(url).pathname, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"n":1}',
        })
      const [reply] = await Promise.all([send(), server.api('POST', `/runs/${id}/cancel`)])
      const { callbacks, status } = (await server.api('GET', `/runs/${id}`)).body
      expect(status).toBe('cancelled')
      if (reply.status === 200) {
        seen.taken++
        expect(callbacks).toMatchObject([{ state: 'answered', answer: { body: { n: 1 } } }])
      } else {
        seen.refused++
        expect(reply.status).toBe(410)
        expect(callbacks).toMatchObject([{ state: 'closed' }])
      }
    }
    expect(seen.taken + seen.refused).toBe(ids.length)
    server.child.kill('SIGTERM')
    await server.exited
    rmSync(place, { recursive: true, force: true })
  })
})

describe('a restart while runs of a flow with a limit wait for callbacks', () => {
  it('keeps no place for them, and their URLs work', { timeout: 60_000 }, async () => {
    const port = await freePort()
    const place = temporaryFolder()
    let server = await spawnMillrace(place, port)
    const { flow, post } = await server.publish({
      name: 'One at a time',
      trigger: { kind: 'webhook', concurrency: 1 },
      steps: [{ id: 'printed', kind: 'wait', callback: {} }],
    })
    const waiting = (await post({})).body.id
    await server.runEnded(waiting, ['waiting'])
    const [{ url }] = (await server.api('GET', `/runs/${waiting}`)).body.callbacks
    server.child.kill('SIGKILL')
    await server.exited
    server = await spawnMillrace(place, port)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const reply = await fetch(`${server.url}/api/v1/webhooks/${flow.webhook.id}`, json)
    // The one that waits would keep the only place if it held it: the next could not begin.
    await server.runEnded(((await reply.json()) as { id: string }).id, ['waiting'])
    expect((await fetch(server.url + new URL(url).pathname, json)).status).toBe(200)
    expect((await server.runEnded(waiting)).status).toBe('succeeded')
    server.child.kill('SIGTERM')
    await server.exited
    rmSync(place, { recursive: true, force: true })
  })
})
