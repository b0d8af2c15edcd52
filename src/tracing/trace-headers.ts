// Puts the trace into an outbound request.
import type { OutboundHeader, OutboundRequest } from '../engine/ports/http-client.ts'
import type { ClaimedRun } from '../engine/ports/run-journal.ts'
import { type TraceContext, type TraceHeaders, traceparentOf } from '../engine/trace-context.ts'

export const traceHeaders = (context: TraceContext): TraceHeaders => ({
  traceparent: traceparentOf(context),
  tracestate: context.state ?? undefined,
})

/** Returns the trace that a run belongs to: that of its delivery, or of the run that called it. */
export function traceOf({ webhook, trigger }: Pick<ClaimedRun, 'webhook' | 'trigger'>): TraceHeaders {
  const { traceparent, tracestate } = webhook?.headers ?? trigger.trace ?? {}
  return { traceparent, tracestate }
}

/** A step that sets traceparent itself knows better. */
export function withTraceHeaders(request: OutboundRequest, { traceparent, tracestate }: TraceHeaders): OutboundRequest {
  const isSet = (name: string) => request.headers.some((header) => header.name.toLowerCase() === name)
  if (traceparent === undefined || isSet('traceparent')) return request
  const headers = [...request.headers, plain('traceparent', traceparent)]
  if (tracestate !== undefined && !isSet('tracestate')) headers.push(plain('tracestate', tracestate))
  return { ...request, headers }
}

const plain = (name: string, value: string): OutboundHeader => ({ name, value, credential: false })
