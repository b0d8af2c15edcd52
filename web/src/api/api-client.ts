// Calls to the service, on the same origin with the session's cookie.
import type { Issue } from '../../../src/flow/issue.ts'
import { parseJson } from '../../../src/flow/json/parse-json.ts'
import { reachability } from './reachability.ts'
import { sessionEnd } from './session-end.ts'

/** The service refused, and said why. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: Issue[]
  constructor(status: number, code: string, message: string, issues: Issue[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.issues = issues
  }
}

/** Nothing answered: the network, or the service, is gone. */
export class Unreachable extends Error {
  constructor() {
    super('Millrace is not responding. Check that it runs and that you are online.')
    this.name = 'Unreachable'
  }
}

export interface CallOptions {
  /** Sent as JSON; text is sent as YAML. */
  body?: unknown
  query?: Record<string, string | number | boolean | null | undefined>
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** A path of `/api/v1`; one that begins with `/api/` is taken as it is. */
export function urlOf(path: string, query: CallOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value))
  const search = parameters.size ? `?${parameters}` : ''
  return `${path.startsWith('/api/') ? '' : '/api/v1'}${path}${search}`
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const { body, query, headers, signal } = options
  let response: Response
  try {
    response = await fetch(urlOf(path, query), {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      credentials: 'same-origin',
      signal: signal ?? null,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    reachability.lost()
    throw new Unreachable()
  }
  reachability.found()
  const text = await response.text()
  // Signing in is refused with the same status, and needs no other session.
  if (response.status === 401 && !path.startsWith('/api/auth/')) sessionEnd.refused()
  if (!response.ok) throw errorOf(response.status, text)
  return (text === '' ? undefined : parseJson(text)) as T
}

export function errorOf(status: number, text: string): ApiError {
  let body: { code?: unknown; message?: unknown; issues?: Issue[] } = {}
  try {
    body = (parseJson(text) ?? {}) as typeof body
  } catch {
    // Something between us and the service answered, not in JSON.
  }
  const code = typeof body.code === 'string' ? body.code : `http_${status}`
  const message =
    typeof body.message === 'string' && body.message !== ''
      ? body.message
      : `The service answered ${status} without saying why. Try again, or look into its log.`
  return new ApiError(status, code, message, body.issues)
}

export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>('GET', path, options),
  post: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('POST', path, { ...options, body }),
  put: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('PUT', path, { ...options, body }),
  delete: <T = void>(path: string, options?: CallOptions) => call<T>('DELETE', path, options),
}
