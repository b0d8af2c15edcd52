// Sends the message of an alert to its target, once.
import type { AlertBody, AlertRecord } from '../ports/alerts/alerts.ts'
import { type MessageView, mailText, messageView } from './message.ts'
import { postSigned } from './post-signed.ts'
import type { AlertServices } from './services.ts'

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
  await postSigned(services.enginePorts.http, {
    url,
    secret,
    id: view.id,
    contentType: 'application/json',
    body: JSON.stringify(view),
    at: services.now(),
    signal: null,
  })
}
