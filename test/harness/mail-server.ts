// A real SMTP server that remembers the mails that it got.
import { SMTPServer } from 'smtp-server'

export interface Mail {
  from: string
  to: string[]
  text: string
}

export async function startMailServer() {
  const mails: Mail[] = []
  let wake = () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text })
        wake()
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    /** Resolves when `n` mails have come. */
    async count(n: number) {
      while (mails.length < n)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
