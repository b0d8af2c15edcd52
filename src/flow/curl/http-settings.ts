// The settings of an HTTP step that a curl command can express (docs/http-request.md#fields).

export interface NameValue {
  name: string
  value: string
}

export type HttpBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: NameValue[]; multipart?: boolean }
  | { kind: 'text'; value: string; contentType?: string }

export type HttpAuth =
  | { kind: 'none' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'apiKey'; name: string; value: string; in?: 'header' | 'query' }
  | { kind: 'oauth2'; connection: string }

export interface HttpRequestSettings {
  method: string
  url: string
  query?: NameValue[]
  headers?: NameValue[]
  body?: HttpBody
  auth?: HttpAuth
  timeout?: number
  followRedirects?: boolean
  cookies?: boolean
  idempotencyKey?: boolean
  retry?: { attempts?: number; delay?: number }
}
