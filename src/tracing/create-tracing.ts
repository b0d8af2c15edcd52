// Follows runs through other systems: with spans where an OpenTelemetry SDK was loaded before the start, else by passing on headers.
import { isSpanContextValid, trace } from '@opentelemetry/api'
import type { HttpClient } from '../engine/ports/http-client.ts'
import type { DeliveryTracing, RunTracing } from '../engine/ports/tracing.ts'
import { createPassOn } from './pass-on.ts'
import { RecordedRun, recordDelivery } from './recorded-spans.ts'

export interface TracingParts {
  http: HttpClient
  version: string
  /** The text with its secrets hidden. */
  redact(text: string): string
}

export interface Tracing {
  runs: RunTracing
  /** null: nobody records. */
  deliveries: DeliveryTracing | null
  /** Sends the spans that were recorded and not sent yet. */
  flush(): Promise<void>
}

export function createTracing({ http, version, redact }: TracingParts): Tracing {
  const tracer = trace.getTracer('millrace', version)
  // Without an SDK spans have no ids. This span never ends, so it is never recorded.
  if (!isSpanContextValid(tracer.startSpan('probe').spanContext()))
    return { runs: createPassOn(http), deliveries: null, flush: async () => {} }
  return {
    runs: { run: (run, flowName) => new RecordedRun({ tracer, http, redact }, run, redact(flowName)) },
    deliveries: { delivery: (method, given) => recordDelivery(tracer, method, given) },
    flush,
  }
}

interface Provider {
  getDelegate?(): Provider
  forceFlush?(): Promise<void>
}

/** The API knows no flush, but the SDK behind it does. */
async function flush(): Promise<void> {
  const provider = trace.getTracerProvider() as Provider
  await (provider.getDelegate?.() ?? provider).forceFlush?.()
}
