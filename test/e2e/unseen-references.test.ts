// Tests that publishing compares references with the samples and tests of the flow.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { expectFailure } from '../harness/inbox.ts'
import { documentOf, type Managed, startManaged } from '../harness/management.ts'
import { TOKEN } from '../harness/millrace.ts'

let managed: Managed
let api: Managed['api']
beforeAll(async () => {
  managed = await startManaged()
  ;({ api } = managed)
})
afterAll(() => managed.stop())

const call = { id: 'call', kind: 'http', method: 'POST', url: '{{ env.UP }}/', body: { kind: 'text', value: 'x' } }
const keep = { id: 'keep', kind: 'set', vars: { a: '{{ webhook.body.usr }}', b: '{{ steps.call.body.pth }}' } }

async function sample(webhookId: string, body: unknown): Promise<void> {
  const response = await fetch(`${managed.millrace.url}/api/v1/webhooks/${webhookId}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
}

it('warns of what no sample and no test has ever had, and publishes all the same', async () => {
  const document = documentOf([call, keep])
  const flow = await managed.create(document.steps)
  const validated = async (query = `?flow=${flow.id}`) => {
    const { status, body } = await api('POST', `/flows/validate${query}`, document)
    expect(status).toBe(200)
    expect(body.issues).toEqual([])
    return body.warnings
  }
  expect(await validated()).toEqual([])
  await sample(flow.webhook.id, { user: 'Ada' })
  await sample(flow.webhook.id, { users: ['Ada'] })
  const webhook = {
    path: '/steps/1/vars/a',
    code: 'unseen_reference',
    message:
      'webhook.body.usr is in none of the 2 samples; did you mean webhook.body.user? If it may be missing, say so with ?? or ?. (at character 4)',
  }
  expect(await validated()).toEqual([webhook])
  expect(await validated('')).toEqual([])

  expect((await api('POST', `/flows/${flow.id}/steps/call/test`, {})).body.status).toBe('succeeded')
  const step = {
    path: '/steps/1/vars/b',
    code: 'unseen_reference',
    message: expect.stringContaining('did you mean steps.call.body.path?'),
  }
  expect(await validated()).toEqual([webhook, step])
  expect((await api('POST', `/flows/${flow.id}/publish`)).body).toEqual({ version: 1, warnings: [webhook, step] })

  const file = join(managed.millrace.dataDir, 'flow.json')
  writeFileSync(file, JSON.stringify(document))
  const env = { MILLRACE_BASE_URL: managed.millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
  const checked = await callCli(['flows', 'validate', file, '--flow', flow.id], { env })
  expect(checked).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('warning /steps/1/vars/a: webhook.body.usr is'),
  })

  // Once a sample has the key, there is no warning.
  await sample(flow.webhook.id, { usr: 1 })
  expect(await validated()).toEqual([step])
  expectFailure(await api('POST', '/flows/validate?flow=flow_none', document), 404, 'not_found')
  expect((await api('POST', '/flows/validate?flows=x', document)).status).toBe(400)
})

it('learns nothing from tests that failed, nor from samples too large to look at', async () => {
  const flow = await managed.create([{ ...call, url: '{{ env.UP }}/status/404' }, keep])
  await api('POST', `/flows/${flow.id}/steps/call/test`, {})
  await sample(flow.webhook.id, { user: 'Ada' })
  await sample(flow.webhook.id, { text: 'x'.repeat(300_000) })
  expect((await api('POST', `/flows/${flow.id}/publish`)).body.warnings).toEqual([])
})

it('names no key of a sample that is a secret', async () => {
  const secret = 'k3y-that-is-secret'
  const vars = { v: '{{ webhook.body.k3y_that_is_secret }}', key: '{{ connections.late.key }}' }
  const flow = await managed.create([{ id: 'x', kind: 'set', vars }])
  await sample(flow.webhook.id, { [secret]: 1 })
  await api('POST', '/connections', { name: 'late', kind: 'custom', fields: { key: secret } })
  const { warnings } = (await api('POST', `/flows/${flow.id}/publish`)).body
  expect(warnings).toMatchObject([{ code: 'unseen_reference' }])
  expect(JSON.stringify(warnings)).not.toContain(secret)
})
