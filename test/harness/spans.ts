// Reads the spans of a Millrace that was started with `printSpans` in its environment.
import { resolve } from 'node:path'
import { expect } from 'vitest'
import type { MillraceProcess } from './millrace.ts'

export const printSpans = { NODE_OPTIONS: `--import=${resolve(import.meta.dirname, 'print-spans.mjs')}` }

export interface PrintedSpan {
  name: string
  /** 0 internal, 1 server, 2 client. */
  kind: number
  traceId: string
  spanId: string
  parent: string | null
  state: string | null
  attributes: Record<string, string | number>
  status: { code: number; message?: string }
}

export const SPAN_ERROR = 2

export const spansOf = (millrace: Pick<MillraceProcess, 'output'>): PrintedSpan[] =>
  millrace
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"span":') && line.endsWith('}'))
    .map((line) => JSON.parse(line).span as PrintedSpan)

export const DELIVERY = 'POST /api/v1/webhooks/:id'

/** Finds the spans of a trace by name; resolves when those of these names have ended. */
export async function traceOf(
  millrace: Pick<MillraceProcess, 'output'>,
  traceId: string,
  names: string[],
): Promise<(name: string) => PrintedSpan> {
  const ofTrace = () => spansOf(millrace).filter((span) => span.traceId === traceId)
  await expect.poll(() => ofTrace().map(({ name }) => name), { timeout: 10_000 }).toEqual(expect.arrayContaining(names))
  const spans = ofTrace()
  return (name) => {
    const found = spans.filter((span) => span.name === name)
    expect(found, `${name} in ${JSON.stringify(spans)}`).toHaveLength(1)
    return found[0]!
  }
}

/** Returns a trace that a sender has begun. */
export function newTrace(): { traceId: string; senderId: string; headers: Record<string, string> } {
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const senderId = 'b7ad6b7169203331'
  return { traceId, senderId, headers: { traceparent: `00-${traceId}-${senderId}-01`, tracestate: 'congo=1' } }
}
