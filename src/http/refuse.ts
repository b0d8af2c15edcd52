import type { FastifyReply } from 'fastify'
import type { ErrorCode } from '../contract/errors.ts'
import { sendFailure } from './failure.ts'
import { leaveBody } from './webhooks/request.ts'

/** Before the body was read. */
export async function refuse(reply: FastifyReply, code: ErrorCode, message: string): Promise<FastifyReply> {
  if (await leaveBody(reply.request.raw)) void reply.header('connection', 'close')
  return sendFailure(reply, code, message)
}
