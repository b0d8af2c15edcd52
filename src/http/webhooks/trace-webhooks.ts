// Records each delivery, and replaces the sender's place in the trace with its own: later spans are its children.
import type { DeliveryTracing } from '../../engine/ports/tracing.ts'
import type { WebhookListener } from './listener.ts'
import { PlainReply } from './plain/plain-reply.ts'

export function traceWebhooks(listener: WebhookListener, tracing: DeliveryTracing): WebhookListener {
  return (exchange) => {
    const { request, response } = exchange
    const { rawHeaders } = request
    const trace = tracing.delivery(request.method!, {
      traceparent: takeHeader(rawHeaders, 'traceparent'),
      tracestate: takeHeader(rawHeaders, 'tracestate'),
    })
    for (const [name, value] of Object.entries(trace.headers)) if (value !== undefined) rawHeaders.push(name, value)
    const ended = (isSent: boolean) => trace.ended(isSent ? response.statusCode : null)
    if (response instanceof PlainReply) response.onEnd = ended
    else response.once('close', () => ended(response.writableFinished))
    listener(exchange)
  }
}

/** Takes the header out; repeated ones are joined. */
function takeHeader(rawHeaders: string[], name: string): string | undefined {
  let found: string | undefined
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]!.toLowerCase() !== name) continue
    const [, value] = rawHeaders.splice(i, 2)
    found = found === undefined ? value : `${value}, ${found}`
  }
  return found
}
