// Makes connections by the API and sends requests with them, for the tests of connections.
import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { documentOf } from './management.ts'
import type { Millrace } from './millrace.ts'
import type { Received } from './upstream.ts'

/** A step that sends a request with a connection. */
export const callWith = (connection: string, url: string, more: object = {}) => ({
  id: 'call',
  kind: 'http',
  method: 'GET',
  url,
  auth: { kind: 'connection', connection },
  ...more,
})

export function connectionsOf(millrace: Millrace) {
  let count = 0
  return {
    async create(kind: string, fields: object, hosts: string[] = []): Promise<string> {
      const name = `made_${++count}`
      const { status, body } = await millrace.api('POST', '/connections', { name, kind, fields, hosts })
      expect(body).toMatchObject({ name, kind })
      expect(status).toBe(201)
      return name
    },

    async runOf(...steps: object[]) {
      const { post } = await millrace.publish(documentOf(steps))
      return millrace.runEnded((await post({ text: 'ü' })).body.id)
    },
  }
}

export const echo = (request: Received, response: ServerResponse) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...request, body: request.body.slice(0, 50) }))
}
