// Builds the reply to the webhook's caller: the configured reply, or the default of docs/webhooks.md#replies.

import { ExpressionError } from '../flow/expression/index.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import { isContentType, isMediaType, isReplyHeaderAllowed } from '../flow/reply-header.ts'
import type { CompiledCommon, CompiledReply } from '../flow/triggers/trigger-kind.ts'
import type { RunError } from './ports/run-journal.ts'
import type { Roots } from './run-bindings.ts'
import type { CallerReply } from './step-kind.ts'

const json = (status: number, body: unknown): CallerReply => ({ status, headers: [], body })

export const defaultReply = (id: string): CallerReply =>
  json(200, { status: 'success', message: 'Webhook received', id })

export const defaultErrorReply = (id: string, message: string): CallerReply =>
  json(500, { status: 'error', message, id })

export const stillRunningReply = (id: string): CallerReply =>
  json(202, { status: 'accepted', message: 'Still running', id })

/** The log line for a reply that was replaced by the default. */
export const DEFAULT_SENT = 'the default reply was sent in place of the one that the flow has'

/** Is called when the flow's own reply is not sent as configured. */
export type ReplyRefused = (reason: string) => void

/** Returns the configured reply, with defaults for missing parts. A template that fails gives the default reply instead. */
export function callerReply(
  configured: CompiledReply,
  bindings: Bindings,
  fallback: CallerReply,
  refused: ReplyRefused,
): CallerReply {
  try {
    const reply = {
      status: (configured.status?.(bindings) as number | undefined) ?? fallback.status,
      headers: (configured.headers?.(bindings) ?? []) as CallerReply['headers'],
      body: configured.body ? configured.body(bindings) : fallback.body,
    }
    return soundReply(reply, fallback, refused)
  } catch (error) {
    if (error instanceof ExpressionError) return fallback
    throw error
  }
}

/** Removes the headers that a flow may not set. Returns `fallback` if the body's type is ambiguous. */
export function soundReply(reply: CallerReply, fallback: CallerReply, refused: ReplyRefused): CallerReply {
  if (reply.headers.length === 0) return reply
  const types = reply.headers.filter(({ name }) => isContentType(name))
  if (types.length > 1 || types.some(({ value }) => !isMediaType(value))) {
    refused('its Content-Type is not one media type')
    return fallback
  }
  return { ...reply, headers: reply.headers.filter(({ name, value }) => isReplyHeaderAllowed(name, value)) }
}

/** Returns the reply for a caller that waited for the run to end. */
export function finalReply(
  configured: NonNullable<CompiledCommon['finalReply']>,
  runId: string,
  roots: Roots,
  bindingsOf: (roots: Roots) => Bindings,
  error: RunError | null,
  refused: ReplyRefused,
): CallerReply {
  if (!error) return callerReply(configured.success, bindingsOf(roots), defaultReply(runId), refused)
  const withError = Object.assign(Object.create(null), roots, { error })
  return callerReply(configured.error, bindingsOf(withError), defaultErrorReply(runId, error.message), refused)
}
