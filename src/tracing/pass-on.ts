// Passes the trace of a delivery on to the requests of its run, without recording spans.
import type { HttpClient } from '../engine/ports/http-client.ts'
import type { RunTracing, StepTrace } from '../engine/ports/tracing.ts'
import { parseTraceContext } from '../engine/trace-context.ts'
import { traceHeaders, traceOf, withTraceHeaders } from './trace-headers.ts'

const nothing = () => {}

export const createPassOn = (http: HttpClient): RunTracing => ({
  run(run) {
    const { traceparent, tracestate } = traceOf(run)
    if (traceparent === undefined) return null
    const context = parseTraceContext(traceparent, tracestate)
    if (!context) return null
    const sent = traceHeaders(context)
    const step: StepTrace = {
      headers: sent,
      http: { send: (request) => http.send(withTraceHeaders(request, sent)) },
      ended: nothing,
    }
    return { step: () => step, failed: nothing, ended: nothing }
  },
})
