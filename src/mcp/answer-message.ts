// One message over HTTP, one answer: no session is kept, and nothing is streamed.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type ApiCaller, createMcpServer } from './mcp-server.ts'

/** `headers` are those that the protocol speaks of. */
export async function answerMessage(
  message: unknown,
  headers: Record<string, string>,
  version: string,
  caller: ApiCaller,
): Promise<Response> {
  const server = createMcpServer(version, caller)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    // The transport wants a URL, and does nothing with it.
    const request = new Request('http://localhost/api/mcp', { method: 'POST', headers })
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
