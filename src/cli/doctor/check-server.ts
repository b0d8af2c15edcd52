// The server: whether it answers, who we are there, its clock, and whether its base URL leads to it.

import { CODE } from '../../base/error-catalogue.ts'
import { type Scopes, scopeWords } from '../../base/scopes.ts'
import type { ApiClient } from '../client/api-client.ts'
import { CliError } from '../exit-code.ts'
import { type CheckResult, failed, ok, warning } from './finding.ts'

interface Settings {
  version: string
  baseUrl: string
  webhookBaseUrl: string
  storage: string
  egressAllow: string[]
  /** An older server does not say. */
  proxy?: string[]
}

const WITHIN_MS = 10_000
const CLOCKS_APART_MS = 5_000

export async function checkServer(api: ApiClient, ownVersion: string): Promise<CheckResult[]> {
  const started = Date.now()
  let response: Response
  try {
    response = await fetch(`${api.url}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) })
  } catch (error) {
    return [failed('server', `Nothing answers at ${api.url}: ${reasonOf(error)}.`)]
  }
  if (!response.ok) {
    const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string }
    return [failed('server', `${api.url}/readyz answers ${response.status}. ${message}`.trimEnd())]
  }
  const results = [ok('server', `${api.url} is ready.`), clock(response, started)]
  try {
    const settings = await api.get<Settings>('/settings')
    const me = await api.get<{ name: string; scopes: Scopes }>('/me')
    results.push(
      settings.version === ownVersion
        ? ok('version', `${settings.version}, ${settings.storage}.`)
        : warning('version', `The server has ${settings.version}, this command ${ownVersion}.`),
      ok('token', `Known as "${me.name}", scope ${scopeWords(me.scopes)}.`),
      await checkBaseUrl(settings.baseUrl),
      ...(settings.webhookBaseUrl === settings.baseUrl ? [] : [await checkWebhookUrl(settings.webhookBaseUrl)]),
      egressRules(settings.egressAllow),
      ...(settings.proxy?.length ? [ok('proxy', `Flows call others through ${settings.proxy.join(' and ')}.`)] : []),
    )
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    results.push(failed('token', [error.message, ...error.details].join(' ')))
  }
  return results
}

function clock(response: Response, started: number): CheckResult {
  const theirs = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return warning('clock', 'The server does not report its time.')
  // The header has whole seconds.
  const apart = Math.max(0, Math.abs(theirs + 500 - (started + Date.now()) / 2) - 500)
  return apart > CLOCKS_APART_MS
    ? warning('clock', `The server's clock and this one are ${Math.round(apart / 1000)} s apart.`)
    : ok('clock', "The server's clock and this one agree.")
}

/** As a sender would call it. */
async function checkBaseUrl(baseUrl: string): Promise<CheckResult> {
  const advice =
    'Webhook URLs begin with it: set MILLRACE_BASE_URL to an address that senders can reach, and check the proxy.'
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(WITHIN_MS), redirect: 'manual' })
    const isOurs = response.headers.get('x-request-id')?.startsWith('req_')
    if (!response.ok || !isOurs)
      return failed('base URL', `${baseUrl}/healthz answers ${response.status}, but not as Millrace does. ${advice}`)
  } catch (error) {
    return failed('base URL', `${baseUrl} cannot be reached from here: ${reasonOf(error)}. ${advice}`)
  }
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname))
    return warning('base URL', `${baseUrl} answers, but without encryption: use https.`)
  return ok('base URL', `${baseUrl} leads to the server.`)
}

/** The proxy must lead there, and pass on which host was asked for. */
async function checkWebhookUrl(origin: string): Promise<CheckResult> {
  const advice =
    'Set MILLRACE_WEBHOOK_BASE_URL to an address that senders can reach; its proxy must forward the header Host.'
  const url = `${origin}/api/v1/webhooks/doctor`
  try {
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(WITHIN_MS), redirect: 'manual' })
    const { code } = (await response.json().catch(() => ({}))) as { code?: string }
    return code === CODE.webhook_not_found
      ? ok('webhook URL', `${origin} leads to the webhooks.`)
      : failed('webhook URL', `${origin} answers ${response.status}, but not as webhooks do. ${advice}`)
  } catch (error) {
    return failed('webhook URL', `${origin} cannot be reached from here: ${reasonOf(error)}. ${advice}`)
  }
}

function egressRules(allowed: readonly string[]): CheckResult {
  return allowed.length
    ? warning('egress', `Flows may also reach ${allowed.join(', ')} (MILLRACE_EGRESS_ALLOW).`)
    : ok('egress', 'Flows reach public addresses only.')
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message: string }
  return cause?.code ?? message
}
