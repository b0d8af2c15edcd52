// Writes a flow's reply to the webhook's caller.
import type { FastifyReply } from 'fastify'
import type { CallerReply } from '../engine/step-kind.ts'
import { isReplyHeaderAllowed } from '../flow/check-trigger.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HARMLESS_TYPE = /^(application\/([\w.-]+\+)?json|text\/plain|text\/csv)\s*(;|$)/i

export function answerCaller(reply: FastifyReply, { status, headers, body }: CallerReply): FastifyReply {
  void reply.code(status)
  let contentType: string | null = null
  for (const { name, value } of headers) {
    // A respond step's headers come out of templates: they may hold anything.
    if (!isReplyHeaderAllowed(name, value)) continue
    if (name.toLowerCase() === 'content-type') contentType = value
    else appendHeader(reply, name, value)
  }
  if (body === undefined || status === 204 || status === 304) {
    if (contentType) void reply.header('content-type', contentType)
    return reply.send()
  }
  const isText = typeof body === 'string' && contentType !== null && !/json/i.test(contentType)
  void reply.header('content-type', contentType ?? JSON_TYPE)
  if (contentType !== null && !HARMLESS_TYPE.test(contentType)) {
    // A page that a flow sends must not act with the rights of the UI, which has the same origin.
    appendHeader(reply, 'content-security-policy', 'sandbox')
    void reply.header('x-content-type-options', 'nosniff')
  }
  return reply.send(isText ? (body as string) : JSON.stringify(body))
}

function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const present = reply.getHeader(name)
  void reply.header(name, present === undefined ? value : [present, value].flat().map(String))
}
