// Checks what the API says of a flow's deliveries.
import { expect, vi } from 'vitest'
import type { Answer, Client } from './millrace.ts'

export interface Delivery {
  id: string
  outcome: string
  code: string | null
  message: string | null
  status: number | null
  runId: string | null
  webhook: { headers: Record<string, string>; query: Record<string, string>; rawBody: string }
}

export const deliveries = async (client: Client, flowId: string): Promise<Delivery[]> =>
  (await client.api('GET', `/flows/${flowId}/deliveries`)).body.items

export const runsOf = async (client: Client, flowId: string): Promise<{ id: string }[]> =>
  (await client.api('GET', `/runs?flow=${flowId}`)).body.items

export function expectFailure(answer: Answer, status: number, code: string): void {
  expect(answer.body).toEqual({
    status: 'error',
    code,
    message: expect.stringMatching(/\S/),
    requestId: answer.headers.get('x-request-id'),
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-request-id')).toMatch(/^req_[a-z0-9]{26}$/)
}

/** Expects a refusal of docs/webhooks.md#checks, its entry in the inbox with its code, and no run. */
export async function expectRejected(
  client: Client,
  flowId: string,
  answer: Answer,
  status: number,
  code: string,
): Promise<Delivery> {
  expectFailure(answer, status, code)
  // The inbox is written beside the reply, not before it.
  const kept = await vi.waitFor(async () => {
    const [latest] = await deliveries(client, flowId)
    expect(latest).toMatchObject({
      outcome: 'rejected',
      code,
      status,
      runId: null,
      webhook: { metadata: { requestId: answer.body.requestId } },
    })
    return latest!
  }, 5000)
  expect(await runsOf(client, flowId)).toEqual([])
  return kept
}
