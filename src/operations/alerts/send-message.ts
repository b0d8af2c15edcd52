// Sends the message of an alert to its target, once.
import type { AlertBody, AlertRecord } from '../ports/alerts/alerts.ts'
import { type MessageView, mailText, messageView, signedHeaders } from './message.ts'
import type { AlertServices } from './services.ts'

const TIMEOUT_MS = 15_000

/** Rejects with the reason if the target does not take it. */
export async function sendMessage(
  services: AlertServices,
  id: string,
  alert: AlertRecord,
  body: AlertBody,
): Promise<void> {
  const flowIds = body.items.flatMap(({ flowId }) => flowId ?? [])
  const names = await services.flows.names(flowIds)
  const view = messageView(id, alert, body, names, services.baseUrl)
  if (alert.target.kind === 'webhook') await post(services, alert.target.url, alert.secret, view)
  else if (!services.mailer) throw new Error('No mail server is set: MILLRACE_SMTP_URL is empty.')
  else await services.mailer.send({ to: alert.target.to, subject: `Millrace: ${view.text}`, text: mailText(view), id })
}

async function post(services: AlertServices, url: string, secret: string | null, view: MessageView): Promise<void> {
  if (secret === null) throw new Error('The secret of the alert cannot be opened. Delete the alert and make it again.')
  const body = JSON.stringify(view)
  const headers = { 'content-type': 'application/json', ...signedHeaders(view.id, body, secret, services.now()) }
  const { status } = await services.enginePorts.http.send({
    method: 'POST',
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value, credential: false })),
    body,
    timeoutMs: TIMEOUT_MS,
    followRedirects: false,
    hops: 0,
    signal: null,
  })
  if (status < 200 || status > 299) throw new Error(`The webhook answered with status ${status}.`)
}
