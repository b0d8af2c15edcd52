// The settings of an HTTP step that a curl command can express (docs/http-request.md#fields).

export interface NameValue {
  name: string
  value: string
}

export interface FormField {
  name: string
  value?: string
  file?: unknown
  filename?: string
  contentType?: string
}

export type HttpBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: FormField[]; multipart?: boolean }
  | { kind: 'xml'; value: unknown; contentType?: string }
  | { kind: 'text'; value: string; contentType?: string }
  | { kind: 'file'; value: unknown; contentType?: string }

export type HttpAuth =
  | { kind: 'none' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'apiKey'; name: string; value: string; in?: 'header' | 'query' }
  | { kind: 'oauth2'; connection: string }
  | { kind: 'connection'; connection: string }

export interface HttpRequestSettings {
  method: string
  url: string
  query?: NameValue[]
  headers?: NameValue[]
  body?: HttpBody
  auth?: HttpAuth
  tls?: { connection: string }
  timeout?: number
  followRedirects?: boolean
  cookies?: boolean
  idempotencyKey?: boolean
  retry?: { attempts?: number; delay?: number }
}
