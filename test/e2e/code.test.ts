import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_SIGNING_SECRET: 'shared-signing-secret' })
})
afterAll(() => millrace.stop())

const flow = (code: string, more: object = {}, after: object[] = []) => ({
  name: 'code',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'run', kind: 'code', input: '{{ webhook.body }}', code, ...more }, ...after],
})

async function run(document: object, body: unknown = {}, headers: Record<string, string> = {}) {
  const { post } = await millrace.publish(document)
  return millrace.runEnded((await post(body, headers)).body.id)
}

describe('a code step', () => {
  it('gets its input, returns any JSON, and keeps its console with the run', async () => {
    const code = `
      interface Order { items: { price: number }[] }
      export default async (order: Order) => {
        console.log('items', order.items.length)
        return { total: order.items.reduce((sum, item) => sum + item.price, 0) }
      }`
    const ended = await run(flow(code, {}, [{ id: 'after', kind: 'set', vars: { total: '{{ steps.run.total }}' } }]), {
      items: [{ price: 2 }, { price: 3 }],
    })
    expect(ended).toMatchObject({ status: 'succeeded', vars: { total: 5 } })
    expect(ended.steps[0]).toMatchObject({ output: { total: 5 }, logs: ['items 2'] })
  })

  it('fails with the line of the code that threw, and keeps what was logged before', async () => {
    const ended = await run(
      flow(`console.log('before')\n\nexport default () => {\n  throw new Error('no such order')\n}`),
    )
    expect(ended.error).toMatchObject({ code: 'code_failed', step: 'run' })
    expect(ended.error!.message).toContain('no such order')
    expect(ended.error!.message).toContain('line 4')
    expect(ended.steps[0]!.logs).toEqual(['before'])
  })

  it('ends at its time limit, while others run', async () => {
    const stuck = millrace.publish(flow('export default () => { for (;;); }', { timeout: 0.3 }))
    const quick = run(flow('export default () => 1'))
    const { post } = await stuck
    const ended = await millrace.runEnded((await post({})).body.id)
    expect(ended.error).toMatchObject({ code: 'code_timeout' })
    expect((await quick).status).toBe('succeeded')
  })

  it('takes no template in its code, and is checked at publish', async () => {
    const ended = await run(flow('export default (input) => "{{ webhook.body.x }}" + input.x', {}), { x: 1 })
    expect(ended.steps[0]!.output).toBe('{{ webhook.body.x }}1')
    const { body } = await millrace.api('POST', '/flows/validate', flow('export default (input) => {'))
    expect(body.issues).toMatchObject([{ path: '/steps/0/code', code: 'code_syntax' }])
  })

  it('is run once by Test Step', async () => {
    const created = await millrace.api('POST', '/flows', flow('export default (input) => input.n * 2'))
    const tested = await millrace.api('POST', `/flows/${created.body.id}/steps/run/test`, {
      webhook: { body: { n: 21 } },
    })
    expect(tested.body).toMatchObject({ status: 'succeeded', output: 42 })
  })

  it('can be cancelled', async () => {
    const { post } = await millrace.publish(flow('export default () => { for (;;); }', { timeout: 60 }))
    const { id } = (await post({})).body
    await millrace.runEnded(id, ['running'])
    expect((await millrace.api('POST', `/runs/${id}/cancel`)).body.status).toBe('cancelled')
    // The worker of the code is free again.
    expect((await run(flow('export default () => "free"'))).status).toBe('succeeded')
  })
})

describe('signature verification as the specification describes it', () => {
  const document = flow(
    `export default ({ body, signature, secret }) => {
      const expected = 'sha256=' + crypto.createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')
      const encode = (text) => new TextEncoder().encode(text)
      if (signature.length !== expected.length || !crypto.timingSafeEqual(encode(signature), encode(expected)))
        throw new Error('The signature does not match')
      return { verified: true }
    }`,
    {
      input: {
        body: '{{ webhook.body }}',
        signature: "{{ webhook.headers['x-signature'] ?? '' }}",
        secret: '{{ env.SIGNING_SECRET }}',
      },
      reveal: true,
    },
  )
  const body = { order: 7, text: 'é "quoted"' }
  const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')}`

  it('lets a signed request pass', async () => {
    const ended = await run(document, body, { 'x-signature': sign('shared-signing-secret') })
    expect(ended.steps[0]).toMatchObject({ status: 'succeeded', output: { verified: true } })
  })

  it.each([
    ['with another secret', { 'x-signature': sign('another secret') }],
    ['without a signature', {}],
  ])('fails a request %s', async (_what, headers) => {
    const ended = await run(document, body, headers as Record<string, string>)
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'code_failed', step: 'run' } })
    expect(JSON.stringify(ended)).not.toContain('shared-signing-secret')
  })
})
