// Brings the replies of token endpoints into the form of RFC 6749: many leave something out, or say it in their own way.
import type { OutboundReply } from '../engine/ports/http-client.ts'

/** Access tokens are short, and a longer reply would take long to read. */
const LONGEST = 65_536

/** The codes that some servers use for a grant that no longer exists. */
const GONE = new Set(['bad_refresh_token', 'invalid_refresh_token', 'expired_token', 'token_expired'])

/** For a reply that is no server error: the status and body that the standard would have. */
export function tokenReply({ status, body }: OutboundReply): Response {
  const answer = parse(Buffer.from(body).toString('utf8'))
  const headers = { 'content-type': 'application/json' }
  if (answer === null) return new Response('null', { status: status < 300 ? 200 : 400, headers })
  // An ID token is for signing in, which connections do not do; without its issuer's keys it could not be checked.
  delete answer['id_token']
  if (typeof answer['error'] === 'string' && GONE.has(answer['error'])) answer['error'] = 'invalid_grant'
  // Some answer 200 and put the error into the body.
  const refused = status >= 400 || (answer['access_token'] === undefined && typeof answer['error'] === 'string')
  if (refused) return new Response(JSON.stringify(answer), { status: 400, headers })
  answer['token_type'] ??= 'bearer'
  for (const name of ['refresh_token', 'expires_in', 'scope']) if (!answer[name]) delete answer[name]
  if (Array.isArray(answer['scope'])) answer['scope'] = answer['scope'].join(' ')
  return new Response(JSON.stringify(answer), { status: 200, headers })
}

/** JSON, or a form, which was the way before the standard. */
function parse(text: string): Record<string, unknown> | null {
  if (text.length > LONGEST) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.assign(Object.create(null), value)
      : null
  } catch {
    const form = new URLSearchParams(text)
    return form.has('access_token') || form.has('error')
      ? Object.assign(Object.create(null), Object.fromEntries(form))
      : null
  }
}
