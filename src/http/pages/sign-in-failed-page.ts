// The page for somebody whom single sign-on did not let in: it says why, and leads back.
import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { escaped } from './authorization-page.ts'

export function signInFailedPage(reply: FastifyReply, status: number, reason: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  return (
    reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      // The URL holds the code.
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Not signed in – Millrace</title>
<style nonce="${nonce}">body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem } a { color: inherit } p { overflow-wrap: anywhere }</style>
<main>
<h1>Not signed in</h1>
<p>${escaped(reason)}</p>
<p><a href="/sign-in">Back to sign-in</a></p>
</main>
</html>
`)
  )
}
