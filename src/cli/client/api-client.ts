// Speaks the HTTP API: one call at a time, lists page by page, and events.
import { API_ERRORS } from '../../base/error-catalogue.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'

export interface ApiError {
  code: string
  message: string
  issues?: { path: string; code: string; message: string }[]
}

export interface ApiEvent {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape of its events
  data: any
}

export interface Request {
  body?: unknown
  /** Sent as it is, with this type. */
  text?: { type: string; content: string | Uint8Array }
  headers?: Record<string, string>
  signal?: AbortSignal
}

export class ApiClient {
  readonly url: string
  /** The server is this process, on a folder or database: it starts no runs, and does not see runs of other processes. */
  readonly isIdle: boolean
  readonly #token: string | null
  readonly #hint: string
  readonly #close: (() => Promise<void>) | null

  /** `hint` says what to do without a credential; `close` stops a server that this process started. */
  constructor(url: string, token: string | null, hint: string, close: (() => Promise<void>) | null = null) {
    this.url = url
    this.isIdle = close !== null
    this.#token = token
    this.#hint = hint
    this.#close = close
  }

  async close(): Promise<void> {
    await this.#close?.()
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path)
  }

  async call<T>(method: string, path: string, request: Request = {}): Promise<T> {
    const response = await this.fetch(method, `/api/v1${path}`, request)
    const text = await response.text()
    return (text === '' ? null : parseJson(text)) as T
  }

  /** Returns every item of a list, or the first `limit`. */
  async list<T>(path: string, limit = Number.POSITIVE_INFINITY): Promise<T[]> {
    const items: T[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: String(Math.min(200, limit - items.length)) })
      if (cursor !== null) query.set('cursor', cursor)
      const joined: string = `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`
      const page: { items: T[]; nextCursor?: string | null } = await this.get(joined)
      items.push(...page.items)
      cursor = page.nextCursor ?? null
    } while (cursor !== null && items.length < limit)
    return items
  }

  async *events(path: string, signal?: AbortSignal): AsyncGenerator<ApiEvent> {
    const response = await this.fetch('GET', `/api/v1${path}`, signal ? { signal } : {})
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const [, type, data] = /^event: (\w+)\ndata: ([\s\S]*)$/.exec(block) ?? []
        if (type) yield { type, data: parseJson(data!) }
      }
    }
  }

  /** Returns the reply unchanged; throws if it is an error. */
  async fetch(method: string, path: string, request: Request): Promise<Response> {
    const response = await this.send(method, path, request)
    if (response.ok) return response
    throw await this.#failure(response, `${method} ${path}`)
  }

  /** Returns the reply unchanged, whatever its status. */
  send(method: string, path: string, { body, text, headers = {}, signal }: Request): Promise<Response> {
    return fetchOrExplain(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(text ? { 'content-type': text.type } : {}),
        ...headers,
      },
      body: body === undefined ? text?.content : JSON.stringify(body),
      redirect: 'manual',
      ...(signal && { signal }),
    })
  }

  async #failure(response: Response, call: string): Promise<CliError> {
    const { status } = response
    const error = apiError(await response.text())
    if (!error)
      return new CliError(
        exitOf(status),
        'no_api',
        `${this.url} answered ${status} to ${call}, but not as Millrace does. Check the URL of the server.`,
      )
    const details = (error.issues ?? []).map(({ path, message }) => `${path || '/'}: ${message}`)
    if (status === 401) details.push(this.#hint)
    return new CliError(exitOf(status), error.code, error.message, details)
  }
}

export async function fetchOrExplain(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    throw new CliError(
      EXIT.unreachable,
      'unreachable',
      `No server answers at ${new URL(url).origin}: ${reasonOf(error)}.`,
    )
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string }
  return cause?.code ?? cause?.message ?? message
}

function apiError(text: string): ApiError | null {
  try {
    const body = parseJson(text) as Partial<ApiError> | null
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as ApiError) : null
  } catch {
    return null
  }
}

function exitOf(status: number): ExitCode {
  if (status === API_ERRORS.unauthorized.status || status === API_ERRORS.forbidden.status) return EXIT.notAllowed
  if (status === API_ERRORS.not_found.status) return EXIT.notFound
  if (status === API_ERRORS.conflict.status || status === API_ERRORS.revision_conflict.status) return EXIT.conflict
  return status === 429 || status >= 502 ? EXIT.unreachable : EXIT.failed
}
