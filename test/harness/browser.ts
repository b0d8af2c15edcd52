// A user's browser: keeps the session cookie, and sends the Origin of Millrace's own pages.
import { type Answer, answerOf, type Millrace } from './millrace.ts'

export const PASSWORD = 'correct horse battery'

export interface Browser {
  /** `path` begins with /api. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Answer>
  /** Returns the Cookie header; null: no cookie was set, or it was cleared. */
  cookie(): string | null
}

export function openBrowser(millrace: Pick<Millrace, 'url' | 'port'>, cookie: string | null = null): Browser {
  const origin = `http://localhost:${millrace.port}`
  /** The cookie by which the browser is recognised, even after its session. */
  let device: string | null = null
  return {
    cookie: () => cookie,
    async send(method, path, body, headers = {}) {
      const sent = Object.entries({
        origin: method === 'GET' ? undefined : origin,
        cookie: [cookie, device].filter((pair) => pair !== null).join('; ') || undefined,
        'content-type': body === undefined ? undefined : 'application/json',
        ...headers,
      }).filter((header): header is [string, string] => header[1] !== undefined)
      const response = await fetch(millrace.url + path, {
        method,
        headers: sent,
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      })
      for (const set of response.headers.getSetCookie()) {
        const pair = set.split(';', 1)[0]!
        if (pair.includes('millrace_device=')) device = pair
        else cookie = pair.endsWith('=') ? null : pair
      }
      return answerOf(response)
    },
  }
}

export const setUpCode = (log: string): string => /\/setup#code=([\w-]+)/.exec(log)![1]!

/** Creates the first owner, who is then signed in. */
export async function setUpOwner(millrace: Millrace, email = 'ada@example.com'): Promise<Browser> {
  const browser = openBrowser(millrace)
  const answer = await browser.send('POST', '/api/auth/setup', {
    code: setUpCode(millrace.log()),
    email,
    name: 'Ada',
    password: PASSWORD,
  })
  if (answer.status !== 200) throw new Error(`set-up: ${JSON.stringify(answer.body)}`)
  return browser
}

/** Invites a user, who accepts. */
export async function addUser(millrace: Millrace, role: string, email: string): Promise<Browser & { id: string }> {
  const invitation = await millrace.api('POST', '/invitations', { role })
  const browser = openBrowser(millrace)
  const answer = await browser.send('POST', '/api/auth/accept-invitation', {
    code: codeOf(invitation.body.url),
    email,
    name: email,
    password: PASSWORD,
  })
  if (answer.status !== 200) throw new Error(`invitation: ${JSON.stringify(answer.body)}`)
  return { ...browser, id: answer.body.user.id }
}

export const codeOf = (url: string): string => url.split('#code=')[1]!
