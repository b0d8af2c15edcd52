// An assistant, as far as the protocol goes: the SDK's own client, on a server or on a process.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export interface Assistant {
  client: Client
  /** Returns the names of the tools that are listed. */
  tools(): Promise<string[]>
  call(tool: string, input?: object): Promise<ToolAnswer>
}

export interface ToolAnswer {
  isError: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any
}

export async function assistOver(transport: Transport): Promise<Assistant> {
  const client = new Client({ name: 'assistant of the tests', version: '1.0.0' })
  await client.connect(transport)
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } })
      const { text } = (content as { text: string }[])[0]!
      return {
        isError: isError === true,
        text,
        get body() {
          return JSON.parse(text)
        },
      }
    },
  }
}

export const assist = (url: string, token: string): Promise<Assistant> =>
  assistOver(
    new StreamableHTTPClientTransport(new URL('/api/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
