// Reads server-sent events as they come.
import { TOKEN } from './millrace.ts'

export interface ServerEvent {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  data: any
}

export interface EventStream {
  headers: Headers
  /** Resolves with the next event that fits. */
  next(fits?: (event: ServerEvent) => boolean): Promise<ServerEvent>
  close(): Promise<void>
}

export async function openEvents(url: string): Promise<EventStream> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const waiting: ServerEvent[] = []
  return {
    headers: response.headers,
    async next(fits = () => true) {
      for (;;) {
        for (let event = waiting.shift(); event; event = waiting.shift()) if (fits(event)) return event
        const { value, done } = await reader.read()
        if (done) throw new Error('the events ended early')
        text += value
        const blocks = text.split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) {
          const match = /^event: (\w+)\ndata: (.*)$/s.exec(block)
          if (match) waiting.push({ type: match[1]!, data: JSON.parse(match[2]!) })
        }
      }
    },
    close: () => reader.cancel(),
  }
}
