// A sample event of a flow's sender, which the server signs: secrets do not leave it.
import type { ApiClient } from '../../client/api-client.ts'
import type { Flow, Sender, SentSample } from '../../client/bodies.ts'
import { usageError } from '../../exit-code.ts'

interface Wanted {
  as: string | undefined
  event: string | undefined
  test: boolean
  /** In PEM. */
  privateKey: string | null
}

/** Returns what the webhook answered. */
export async function sendSample(
  api: ApiClient,
  flow: Flow,
  { as, event, test, privateKey }: Wanted,
): Promise<SentSample> {
  if (as !== undefined) await checkSender(api, flow, as)
  return api.call<SentSample>('POST', `/flows/${flow.id}/send-sample`, {
    body: { ...(event !== undefined && { event }), test, ...(privateKey !== null && { privateKey }) },
  })
}

/** Whoever names another sender than the flow has would be surprised by what is sent. */
async function checkSender(api: ApiClient, flow: Flow, as: string): Promise<void> {
  const { trigger } = flow.draft as { trigger?: { sender?: { name?: string } } }
  const given = trigger?.sender?.name
  if (given === undefined)
    throw usageError(`${flow.name} does not say who sends: its trigger has no sender. Set it to ${as} first.`)
  const { name, aliases } = await api.get<Sender>(`/senders/${encodeURIComponent(as)}`)
  if (given !== name && !aliases.includes(given)) throw usageError(`The sender of ${flow.name} is ${given}, not ${as}.`)
}
