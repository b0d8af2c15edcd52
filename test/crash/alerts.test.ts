// Kills the process between the row of an alert's message and its delivery: the message is delivered all the same.
import { rmSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('delivers a message whose sending was cut off by kill -9', { timeout: 90_000 }, async () => {
  let answers = false
  // The first request is never answered.
  const receiver = await startUpstream((_request, response) => {
    if (answers) response.writeHead(204).end()
  })
  const port = await freePort()
  const first = await spawnMillrace(folder, port)
  const { flow, post } = await first.publish({
    name: 'Orders',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'oops', kind: 'fail', message: 'no' }],
  })
  const target = { kind: 'webhook', url: `${receiver.url}/alert` }
  const { secret } = (await first.api('POST', '/alerts', { rule: 'first_failure', flow: flow.id, target })).body
  const { id } = (await post({})).body
  await receiver.count(1)
  first.child.kill('SIGKILL')
  await first.exited
  answers = true
  const second = await spawnMillrace(folder, port)
  await receiver.count(2)
  const [cut, whole] = receiver.received
  const view = new Webhook(secret).verify(whole!.body, whole!.headers as Record<string, string>)
  expect(view).toMatchObject({ rule: 'first_failure', run: id })
  // The receiver can tell that it is the same message.
  expect(whole!.headers['webhook-id']).toBe(cut!.headers['webhook-id'])
  second.child.kill('SIGTERM')
  await second.exited
  await receiver.close()
})
