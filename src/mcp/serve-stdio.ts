// Serves MCP over stdin and stdout, as long as the other side keeps stdin open.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type ApiCaller, createMcpServer } from './mcp-server.ts'

export interface StdioOptions {
  version: string
  caller: ApiCaller
  note: string
  /** A message was not understood, or was too long. */
  onFault(): void
}

export async function serveStdio(
  input: Readable,
  output: Writable,
  { version, caller, note, onFault }: StdioOptions,
): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  const call: ApiCaller['call'] = (request) => {
    const reply = caller.call(request)
    underWay.add(reply)
    return reply.finally(() => underWay.delete(reply))
  }
  const server = createMcpServer(version, { ...caller, call }, note)
  server.onerror = onFault
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(new StdioServerTransport(input, output))
  await Promise.race([once(input, 'end'), closed])
  // A caller that pipes messages in wants their answers after the input ends.
  while (underWay.size > 0) await Promise.allSettled(underWay)
  await nextTurn()
  await server.close()
}
