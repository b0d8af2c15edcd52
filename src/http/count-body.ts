// Counts the bodies of management requests among those in memory, each with its declared size or its limit.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BodyBudget, SMALL_BODY } from '../operations/deliveries/body-budget.ts'
import { noRoom } from '../operations/deliveries/rejection.ts'
import { refuse } from './refuse.ts'

export type CountBody = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

export const createCountBody =
  (bodies: BodyBudget): CountBody =>
  async ({ headers, routeOptions }, reply) => {
    const most = routeOptions.bodyLimit
    const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : most
    // Fastify refuses a body that declares more than the limit.
    if (bytes <= SMALL_BODY || bytes > most) return
    const hold = bodies.open()
    if (!hold.reach(bytes)) {
      const { code, message, retryAfterSeconds } = noRoom()
      void reply.header('retry-after', String(retryAfterSeconds))
      return refuse(reply, code, message)
    }
    // Requests that MCP makes inside the process finish, and have no socket to close.
    reply.raw.once('finish', () => hold.release()).once('close', () => hold.release())
  }
