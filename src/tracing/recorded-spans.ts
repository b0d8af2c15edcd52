// Spans of deliveries, runs, steps and requests. They hold ids, kinds, codes and hosts: no URL, no payload, no message, no webhook id.
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { CODE } from '../base/error-catalogue.ts'
import {
  type HttpClient,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
} from '../engine/ports/http-client.ts'
import type { Advanced, ClaimedRun, JournalEntry } from '../engine/ports/run-journal.ts'
import type { DeliveryTrace, RunTrace, StepTrace } from '../engine/ports/tracing.ts'
import type { Outcome, StepError } from '../engine/step-kind.ts'
import { parseTraceContext, type TraceHeaders } from '../engine/trace-context.ts'
import { traceHeaders, traceOf, withTraceHeaders } from './trace-headers.ts'

export interface Recorder {
  tracer: Tracer
  http: HttpClient
  redact(text: string): string
}

const WEBHOOK_ROUTE = '/api/v1/webhooks/:id'

export function recordDelivery(tracer: Tracer, method: string, given: TraceHeaders): DeliveryTrace {
  const span = tracer.startSpan(
    `${method} ${WEBHOOK_ROUTE}`,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': WEBHOOK_ROUTE } },
    contextOf(given),
  )
  return {
    headers: headersOf(span),
    ended(status) {
      if (status !== null) span.setAttribute('http.response.status_code', status)
      // A refused delivery is not an error of the server.
      if (status === null || status >= 500) fail(span, status === null ? 'sender_left' : String(status))
      span.end()
    },
  }
}

export class RecordedRun implements RunTrace {
  readonly #recorder: Recorder
  readonly #span: Span
  readonly #context: Context
  /** The steps that run now, by path. */
  readonly #open = new Map<string, Context>()

  constructor(recorder: Recorder, run: ClaimedRun, flowName: string) {
    const parent = contextOf(traceOf(run))
    const attributes = {
      'millrace.run.id': run.id,
      'millrace.run.attempt': run.attempt,
      'millrace.flow.id': run.flowId,
      'millrace.flow.version': run.version ?? undefined,
      'millrace.run.replay_of': run.replayOf ?? undefined,
    }
    this.#recorder = recorder
    this.#span = recorder.tracer.startSpan(`run ${flowName}`, { attributes }, parent)
    this.#context = trace.setSpan(ROOT_CONTEXT, this.#span)
  }

  step({ path, id, kind, attempt }: JournalEntry): StepTrace {
    const span = this.#recorder.tracer.startSpan(
      `step ${id}`,
      { attributes: { 'millrace.step.path': path, 'millrace.step.kind': kind, 'millrace.step.attempt': attempt } },
      this.#open.get(pathAround(path)) ?? this.#context,
    )
    const context = trace.setSpan(ROOT_CONTEXT, span)
    this.#open.set(path, context)
    return {
      headers: headersOf(span),
      http: { send: (request) => recordRequest(this.#recorder, context, request) },
      ended: (outcome) => {
        this.#open.delete(path)
        endStep(span, outcome)
      },
    }
  }

  failed({ code }: StepError): void {
    fail(this.#span, code)
  }

  ended(state: Advanced['state'] | null): void {
    if (state === null) fail(this.#span, CODE.internal_error)
    else this.#span.setAttribute('millrace.run.state', state)
    this.#span.end()
  }
}

function endStep(span: Span, outcome: Outcome | null): void {
  span.setAttribute('millrace.step.outcome', outcome?.type ?? 'left')
  if (outcome?.type === 'failed') fail(span, outcome.error.code)
  span.end()
}

async function recordRequest(
  { tracer, http, redact }: Recorder,
  context: Context,
  request: OutboundRequest,
): Promise<OutboundReply> {
  const url = URL.parse(request.url)
  const attributes = {
    'http.request.method': request.method,
    'server.address': url ? redact(url.hostname) : undefined,
    'server.port': url ? Number(url.port || (url.protocol === 'https:' ? 443 : 80)) : undefined,
  }
  const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes }, context)
  try {
    const reply = await http.send(withTraceHeaders(request, headersOf(span)))
    span.setAttribute('http.response.status_code', reply.status)
    if (reply.status >= 400) fail(span, String(reply.status))
    return reply
  } catch (error) {
    fail(span, error instanceof OutboundError ? error.code : CODE.internal_error)
    throw error
  } finally {
    span.end()
  }
}

/** Returns the path of the step that contains a step: `all` for `all#2[3]/send`. */
const pathAround = (path: string): string =>
  path
    .slice(0, Math.max(0, path.lastIndexOf('/')))
    .replace(/\[\d+\]$/, '')
    .replace(/#\d+$/, '')

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function contextOf({ traceparent, tracestate }: TraceHeaders): Context {
  const given = parseTraceContext(traceparent, tracestate)
  if (!given) return ROOT_CONTEXT
  const { traceId, spanId, flags, state } = given
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags,
    traceState: state === null ? undefined : createTraceState(state),
    isRemote: true,
  })
}

function headersOf(span: Span): TraceHeaders {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  return traceHeaders({ traceId, spanId, flags: traceFlags, state: traceState?.serialize() || null })
}
