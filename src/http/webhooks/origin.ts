// Webhooks on an origin of their own (MILLRACE_WEBHOOK_BASE_URL): that origin serves nothing else, and no other origin serves replies of flows.
import type { IncomingMessage, RequestListener } from 'node:http'
import { CODE } from '../../base/error-catalogue.ts'
import type { Services } from '../../operations/services.ts'
import { leaveBody } from '../early-end.ts'
import { isCallback } from './callback-listener.ts'
import type { Exchange } from './exchange.ts'
import { isTestUrl, isWebhook, sendFailure, type WebhookListener } from './listener.ts'

export interface Listeners {
  webhooks: WebhookListener
  callbacks: RequestListener
  api: RequestListener
}

/** Who serves which request. */
export interface Origins {
  choose(request: IncomingMessage): RequestListener
  /** Plain requests are for webhooks. */
  plain: WebhookListener
}

/** One origin for all: webhooks bypass the API's router. */
export function onOneOrigin({ webhooks, callbacks, api }: Listeners): Origins {
  const streamed = asRequestListener(webhooks)
  return {
    choose({ url }) {
      if (isWebhook(url!)) return streamed
      return isCallback(url!) ? callbacks : api
    },
    plain: webhooks,
  }
}

export function onTwoOrigins(services: Services, { webhooks, callbacks, api }: Listeners): Origins {
  const hostname = new URL(services.webhookBaseUrl).hostname.replace(/\.$/, '')
  const isThere = ({ headers }: Exchange['request']) => hostnameOf(headers) === hostname
  const nothing: WebhookListener = (exchange) => void refuse(services, exchange)
  const plain: WebhookListener = (exchange) => {
    const { request } = exchange
    // Replies to samples are Millrace's own, never a flow's; the editor sends them to its own origin.
    const isServed = isThere(request) || isTestUrl(request.url!)
    const listener = isServed ? webhooks : nothing
    listener(exchange)
  }
  const [streamed, refused] = [asRequestListener(plain), asRequestListener(nothing)]
  return {
    choose(request) {
      // Replies to callbacks, and the pages of approvals, are Millrace's own on both.
      if (isCallback(request.url!)) return callbacks
      if (isWebhook(request.url!)) return streamed
      return isThere(request) ? refused : api
    },
    plain,
  }
}

const asRequestListener =
  (listener: WebhookListener): RequestListener =>
  (request, response) =>
    listener({ request, response })

const refuse = async ({ ids, webhookBaseUrl }: Services, { request, response }: Exchange): Promise<void> => {
  const headers = (await leaveBody(request)) ? ['connection', 'close'] : []
  sendFailure(response, ids.next('req'), CODE.not_found, `${webhookBaseUrl} serves only webhooks.`, headers)
}

/** The host that is asked for; a proxy may have left out the port. */
const hostnameOf = ({ host }: { host?: string | undefined }): string =>
  (host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
