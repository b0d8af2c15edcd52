// Turns a body setting into bytes, with its content type.
import { createHash } from 'node:crypto'
import type { HttpSettings } from './settings.ts'

type BodySetting = NonNullable<HttpSettings['body']>
type Field = { name: string; value: string }

export interface RequestBody {
  content: string
  contentType: string
  /** The body as the run's history shows it. */
  shown: unknown
}

/** `given`: the Content-Type among the headers, whose boundary then counts. */
export function requestBody(body: BodySetting, given: string | undefined): RequestBody {
  switch (body.kind) {
    case 'json': {
      const content = JSON.stringify(body.value)
      return { content, contentType: 'application/json', shown: body.value }
    }
    case 'text':
      return { content: body.value, contentType: body.contentType ?? 'text/plain', shown: body.value }
    case 'form':
      return body.multipart ? multipart(body.fields, given) : urlencoded(body.fields)
  }
}

function urlencoded(fields: readonly Field[]): RequestBody {
  const content = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString()
  return { content, contentType: 'application/x-www-form-urlencoded', shown: content }
}

function multipart(fields: readonly Field[], given: string | undefined): RequestBody {
  const boundary = givenBoundary(given) ?? contentBoundary(fields)
  const parts = fields.map(
    ({ name, value }) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  )
  const content = `${parts.join('')}--${boundary}--\r\n`
  return { content, contentType: `multipart/form-data; boundary=${boundary}`, shown: content }
}

/** Returns a boundary made from the fields, so that none of them contains it and a resend is the same byte for byte. */
function contentBoundary(fields: readonly Field[]): string {
  return `millrace-${createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 40)}`
}

export function givenBoundary(contentType: string | undefined): string | undefined {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? '')
  return match?.[1] ?? match?.[2]
}

// Escapes a form name as browsers do.
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
