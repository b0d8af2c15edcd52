// The flows that are measured: see README.md.

const reply = (tier: string) => ({ id: 'high', kind: 'respond', body: { tier, mac: '{{ steps.sign }}' } })

export const FLOW_A = {
  name: 'A',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'note', kind: 'set', vars: { total: '{{ webhook.body.total }}' } }],
}

const calling = (url: string) => ({
  id: 'call',
  kind: 'http',
  method: 'POST',
  url,
  body: { kind: 'json', value: { id: '{{ webhook.body.id }}', total: '{{ webhook.body.total }}' } },
})

export const flowB = (upstream: string) => ({
  name: 'B',
  trigger: { kind: 'webhook', response: { mode: 'finished', body: { rate: '{{ steps.call.body.rate }}' } } },
  steps: [calling(`${upstream}/rate`)],
})

/** Returns B with an immediate answer, so that its runs may take longer than its deliveries. */
export const flowBehind = (upstream: string) => ({
  name: 'Behind',
  trigger: { kind: 'webhook' },
  steps: [calling(`${upstream}/rate`)],
})

export const FLOW_C = {
  name: 'C',
  trigger: { kind: 'webhook', response: { mode: 'finished' } },
  steps: [
    {
      id: 'sign',
      kind: 'code',
      input: '{{ webhook.rawBody }}',
      code: "export default (body) => crypto.createHmac('sha256', 'whsec_bench').update(body).digest('hex')",
    },
    {
      id: 'size',
      kind: 'branch',
      cases: [{ when: '{{ webhook.body.total > 100 }}', steps: [reply('high')] }],
      otherwise: [{ ...reply('low'), id: 'low' }],
    },
  ],
}
