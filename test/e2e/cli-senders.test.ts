// The senders in the terminal and for assistants: what is known of them, and samples that the server signs.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { documentOf } from '../harness/management.ts'
import { type Assistant, assist } from '../harness/mcp.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const SECRET = 'whsec_that_never_leaves'

const folder = temporaryFolder()
let millrace: Millrace
let env: Record<string, string>
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_STRIPE: SECRET })
  env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
  const steps = [{ id: 'note', kind: 'set', vars: { paid: '{{ webhook.body.type }}' } }]
  await millrace.publish(documentOf(steps, { sender: { name: 'stripe', secret: '{{ env.STRIPE }}' } }, 'Payments'))
  await millrace.publish(documentOf([], {}, 'Anyone'))
  const sender = { name: 'sendgrid', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) }
  await millrace.publish(documentOf([], { sender }, 'Mails'))
})
afterAll(async () => {
  await millrace.stop()
  rmSync(folder, { recursive: true })
})

describe('millrace senders', () => {
  it('lists what a trigger can name, and shows what to do in the console', async () => {
    const { stdout } = await callCli(['senders', 'list'], { env })
    expect(stdout).toMatch(/^stripe +Stripe +secret +HMAC-SHA-256 +invoice\.paid/m)
    expect(stdout).toMatch(/^postmark .*user, password +a token/m)
    const shown = await callCli(['senders', 'show', 'whatsapp'], { env })
    expect(shown.stdout).toMatch(/verifyToken +Verify token/)
    expect(shown.stdout).toContain('the webhook URL')
    expect((await callCli(['senders', 'show', 'nobody'], { env })).exit).toBe(3)
  })
})

describe('millrace send --as', () => {
  it("signs the event with the flow's own secret, and follows its run", async () => {
    const sent = await callCli(
      ['send', 'Payments', '--as', 'stripe', '--event', 'checkout.session.completed', '--wait'],
      { env },
    )
    expect(sent).toMatchObject({ exit: 0, stdout: expect.stringMatching(/succeeded +run_/) })
    const listed = await callCli(['deliveries', 'list', '--event', 'checkout.session.completed', '--json'], { env })
    expect(listed.json().items).toMatchObject([{ outcome: 'accepted', event: 'checkout.session.completed' }])
    expect(sent.stdout + sent.stderr).not.toContain(SECRET)
  })

  it('sends to the test URL, where nothing starts', async () => {
    const sent = await callCli(['send', 'Payments', '--as', 'stripe', '--test', '--json'], { env })
    expect(sent.json()).toMatchObject({
      event: 'invoice.paid',
      status: 200,
      body: { message: 'Test request received' },
    })
  })

  it('signs with a key pair of the user where the sender has one', async () => {
    const send = (key: KeyObject) => {
      const file = join(folder, 'key.pem')
      writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }))
      return callCli(['send', 'Mails', '--as', 'sendgrid', '--private-key', file], { env })
    }
    expect(await send(privateKey)).toMatchObject({ exit: 0, stdout: expect.stringContaining('200') })
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(await send(other)).toMatchObject({ exit: 1, stdout: expect.stringContaining('401') })
    const without = await callCli(['send', 'Mails', '--as', 'sendgrid'], { env })
    expect(without).toMatchObject({ exit: 4, stderr: expect.stringContaining('key pair of your own') })
  })

  it.each([
    ['another sender than the flow has', ['Payments', '--as', 'github'], 2, 'is stripe, not github'],
    ['a flow without a sender', ['Anyone', '--as', 'stripe'], 2, 'does not say who sends'],
    ['a sender that is not known', ['Payments', '--as', 'nobody'], 3, 'nobody'],
    ['an event that is not known', ['Payments', '--as', 'stripe', '--event', 'no.such'], 1, 'invoice.paid'],
    ['a payload too', ['Payments', '--as', 'stripe', '--data', '{}'], 2, 'not both'],
  ])('refuses %s', async (_what, args, exit, reason) => {
    const sent = await callCli(['send', ...args], { env })
    expect(sent).toMatchObject({ exit, stderr: expect.stringContaining(reason) })
  })
})

describe('an assistant', () => {
  let assistant: Assistant
  beforeAll(async () => {
    assistant = await assist(millrace.url, TOKEN)
  })
  afterAll(() => assistant.client.close())

  it('finds senders, and sends a sample to the test URL unless it says otherwise', async () => {
    const { senders } = (await assistant.call('list_senders')).body
    expect(senders.find(({ name }: { name: string }) => name === 'meta')).not.toHaveProperty('console')
    const one = await assistant.call('list_senders', { sender: 'stripe' })
    expect(one.body).toMatchObject({ console: expect.any(Array) })
    const { items } = (await millrace.api('GET', '/flows?q=Payments')).body
    const sent = await assistant.call('send_sample', { flow: items[0].id })
    expect(sent.body).toMatchObject({ status: 200, runId: null })
  })
})
