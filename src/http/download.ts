// Sends what a stranger sent as a file to save, never as a page to open.
import type { FastifyReply } from 'fastify'

export const download = (reply: FastifyReply, content: Uint8Array | string, name: string): FastifyReply =>
  reply
    .type(typeof content === 'string' ? 'application/json; charset=utf-8' : 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-security-policy', 'sandbox')
    .send(typeof content === 'string' ? content : Buffer.from(content))
