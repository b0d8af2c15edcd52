// The page at the end of an OAuth authorization: shows the result, reports it to the page that opened it, and closes.
import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { FinishedAuthorization } from '../../operations/connections/authorize-connection.ts'

export function authorizationPage(reply: FastifyReply, { connection, problem }: FinishedAuthorization): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const title = problem === null ? 'Connected' : 'Not connected'
  const text = problem ?? `The connection ${connection} can be used now. You may close this page.`
  const message = { type: 'millrace:authorization', connection, connected: problem === null, problem }
  return (
    reply
      .code(problem === null ? 200 : 400)
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      // The URL holds the code.
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title} – Millrace</title>
<style nonce="${nonce}">body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>${title}</h1>
<p>${escaped(text)}</p>
<script nonce="${nonce}">
  if (window.opener) {
    window.opener.postMessage(${inScript(message)}, window.location.origin)
    if (${problem === null}) window.close()
  }
</script>
</html>
`)
  )
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)

/** Writes JSON that cannot end the script element. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
