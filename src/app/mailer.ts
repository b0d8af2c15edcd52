// Sends e-mail by SMTP.
import type { Transporter } from 'nodemailer'
import type { Mailer } from '../operations/ports/alerts/alerts.ts'
import type { Config } from './config.ts'

const TIMEOUT_MS = 15_000

/** Returns null if no mail server is set. */
export function createMailer({ smtpUrl, smtpFrom }: Pick<Config, 'smtpUrl' | 'smtpFrom'>): Mailer | null {
  if (smtpUrl === null) return null
  let opening: Promise<Transporter> | undefined
  return {
    async send({ to, subject, text, id }) {
      opening ??= open(smtpUrl, smtpFrom!)
      const transport = await opening
      const domain = smtpFrom!.replace(/^.*@/, '').replace(/>$/, '')
      // A message that is sent again has the same id, so that readers can tell.
      await transport.sendMail({ to: [...to], subject, text, messageId: `<${id}@${domain}>` })
    },
  }
}

/** Loads the package with the first message: most services send none. */
async function open(url: string, from: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(url, { from })
  const options = transport.options as { connectionTimeout?: number; greetingTimeout?: number; socketTimeout?: number }
  Object.assign(options, { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS })
  return transport
}
