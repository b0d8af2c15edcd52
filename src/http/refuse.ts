import type { FastifyReply } from 'fastify'
import type { ApiErrorCode } from '../base/error-catalogue.ts'
import { leaveBody } from './early-end.ts'
import { sendFailure } from './failure.ts'

/** Before the body was read. */
export async function refuse(reply: FastifyReply, code: ApiErrorCode, message: string): Promise<FastifyReply> {
  if (await leaveBody(reply.request.raw)) void reply.header('connection', 'close')
  return sendFailure(reply, code, message)
}
