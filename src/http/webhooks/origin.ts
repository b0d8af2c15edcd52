// Webhooks on an origin of their own (MILLRACE_WEBHOOK_BASE_URL): that origin serves nothing else, and no other origin serves replies of flows.
import type { IncomingMessage } from 'node:http'
import { CODE } from '../../base/error-catalogue.ts'
import type { Services } from '../../operations/services.ts'
import { leaveBody } from '../early-end.ts'
import { isCallback } from './callback-listener.ts'
import { isTestUrl, isWebhook, sendFailure, type WebhookListener } from './listener.ts'

/** Which of these a request is for. */
export type Choose = (request: IncomingMessage) => WebhookListener

/** One origin for both: webhooks bypass the API's router. */
export const onOneOrigin =
  (webhooks: WebhookListener, callbacks: WebhookListener, api: WebhookListener): Choose =>
  ({ url }) => {
    if (isWebhook(url!)) return webhooks
    return isCallback(url!) ? callbacks : api
  }

export function onTwoOrigins(
  services: Services,
  webhooks: WebhookListener,
  callbacks: WebhookListener,
  api: WebhookListener,
): Choose {
  const hostname = new URL(services.webhookBaseUrl).hostname.replace(/\.$/, '')
  const nothing: WebhookListener = (request, response) => void refuse(services, request, response)
  return (request) => {
    const url = request.url!
    // Replies to callbacks, and the pages of approvals, are Millrace's own on both.
    if (isCallback(url)) return callbacks
    if (hostnameOf(request) === hostname) return isWebhook(url) ? webhooks : nothing
    if (!isWebhook(url)) return api
    // Its replies are Millrace's own, never a flow's; the editor sends samples to it.
    return isTestUrl(url) ? webhooks : nothing
  }
}

const refuse = async (
  { ids, webhookBaseUrl }: Services,
  ...[request, response]: Parameters<WebhookListener>
): Promise<void> => {
  const headers = (await leaveBody(request)) ? ['connection', 'close'] : []
  sendFailure(response, ids.next('req'), CODE.not_found, `${webhookBaseUrl} serves only webhooks.`, headers)
}

/** The host that is asked for; a proxy may have left out the port. */
const hostnameOf = ({ headers }: IncomingMessage): string =>
  (headers.host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
