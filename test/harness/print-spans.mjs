// Loaded into a Millrace with --import: prints each span that ends as a line of JSON.
import { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId, traceState } = span.spanContext()
      const { name, kind, attributes, status, parentSpanContext, events, links } = span
      const parent = parentSpanContext?.spanId ?? null
      const state = traceState?.serialize() ?? null
      const printed = { name, kind, traceId, spanId, parent, state, attributes, status, events, links }
      process.stdout.write(`${JSON.stringify({ span: printed })}\n`)
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}

// Spans are sent in batches, as in production; or at once, for tests that kill the process.
const Processor = process.env.TEST_SPANS === 'batch' ? BatchSpanProcessor : SimpleSpanProcessor
new NodeTracerProvider({ spanProcessors: [new Processor(exporter)] }).register()
