// Turns a body setting into bytes, with its content type.
import { createHash } from 'node:crypto'
import { CODE } from '../../base/error-catalogue.ts'
import { UNKNOWN_TYPE } from '../../engine/files/file-value.ts'
import type { SendableFile } from '../../engine/files/run-files.ts'
import { type BodySource, OutboundError } from '../../engine/ports/http-client.ts'
import { SECRET_MASK } from '../../flow/compile.ts'
import { formEncoded } from '../../flow/form-pairs.ts'
import { charsetOf, encodeText } from '../../flow/formats/charsets.ts'
import { writeXml } from '../../flow/formats/write-xml.ts'
import { hasBreak } from '../../flow/outbound-parts.ts'
import type { OpenFiles } from './open-files.ts'
import type { HttpSettings } from './settings.ts'

type BodySetting = NonNullable<HttpSettings['body']>
type XmlSetting = Extract<BodySetting, { kind: 'xml' }>
type Field = Extract<BodySetting, { kind: 'form' }>['fields'][number]

export interface RequestBody {
  /** What is sent. */
  content: string | Uint8Array | BodySource
  /** The same as text; null if it is files. */
  text: string | null
  contentType: string
  /** The body as the run's history shows it. */
  shown: unknown
}

/** `given`: the Content-Type among the headers, whose boundary and charset then count. Throws FormatError. */
export function requestBody(body: BodySetting, given: string | undefined, files: OpenFiles): RequestBody {
  switch (body.kind) {
    case 'json':
      return { ...asIs(JSON.stringify(body.value), 'application/json'), shown: body.value }
    case 'xml':
      return xml(body, given)
    case 'text': {
      const contentType = body.contentType ?? 'text/plain'
      const content = encodeText(body.value, charsetOf(given ?? contentType) ?? 'utf-8')
      return { ...asIs(body.value, contentType), content }
    }
    case 'form':
      return body.multipart ? multipart(body.fields, given, files) : urlencoded(body.fields)
    case 'file': {
      const [file] = files.of(body.value)
      // Where settings are only shown, a file may be hidden.
      if (!file) return { ...asIs('', body.contentType ?? UNKNOWN_TYPE), shown: body.value }
      return { content: file, text: null, contentType: body.contentType ?? typeOf(file), shown: file.value }
    }
  }
}

const typeOf = ({ value }: SendableFile): string => value.contentType || UNKNOWN_TYPE

const asIs = (text: string, contentType: string): RequestBody => ({ content: text, text, contentType, shown: text })

/** A character that the charset lacks is written by its number, which every parser reads. */
function xml({ value, contentType = 'application/xml' }: XmlSetting, given: string | undefined): RequestBody {
  // What is hidden as a whole is shown as it is.
  if (value === SECRET_MASK) return asIs(SECRET_MASK, contentType)
  const charset = charsetOf(given ?? contentType) ?? 'utf-8'
  const text = `<?xml version="1.0" encoding="${charset.toUpperCase()}"?>\n${writeXml(value)}`
  return { ...asIs(text, contentType), content: encodeText(text, charset, (code) => `&#${code};`) }
}

function urlencoded(fields: readonly Field[]): RequestBody {
  const content = formEncoded(fields.map(({ name, value }) => [name, value ?? '']))
  return asIs(content, 'application/x-www-form-urlencoded')
}

/** A part of a form: a text, or a head with the file that follows it. */
type Part = string | { head: string; file: SendableFile }

function multipart(fields: readonly Field[], given: string | undefined, files: OpenFiles): RequestBody {
  const boundary = givenBoundary(given) ?? contentBoundary(fields)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const parts = fields.flatMap((field) => partsOf(field, boundary, files))
  const end = `--${boundary}--\r\n`
  if (parts.every((part) => typeof part === 'string')) return asIs(`${parts.join('')}${end}`, contentType)
  const content = sourceOf([...parts, end])
  return { content, text: null, contentType, shown: { multipart: shownFields(fields, files) } }
}

function partsOf(field: Field, boundary: string, files: OpenFiles): Part[] {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field.name)}"`
  if (field.file === undefined) return [`${head}\r\n\r\n${field.value ?? ''}\r\n`]
  return files.of(field.file).map((file) => {
    const name = quoted(field.filename ?? file.value.name ?? 'file')
    const type = field.contentType ?? typeOf(file)
    if (hasBreak(type))
      throw new OutboundError(
        CODE.invalid_header,
        'The content type of a file contains a line break or NUL character',
        'Remove it.',
      )
    return { head: `${head}; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`, file }
  })
}

function sourceOf(parts: readonly Part[]): BodySource {
  const sizes = parts.map((part) =>
    typeof part === 'string' ? Buffer.byteLength(part) : Buffer.byteLength(part.head) + part.file.size + 2,
  )
  return {
    size: sizes.reduce((sum, size) => sum + size, 0),
    async *open() {
      for (const part of parts)
        if (typeof part === 'string') yield Buffer.from(part)
        else {
          yield Buffer.from(part.head)
          yield* part.file.open()
          yield Buffer.from('\r\n')
        }
    },
  }
}

const shownFields = (fields: readonly Field[], files: OpenFiles): unknown[] =>
  fields.map(({ name, value, file, filename, contentType }) =>
    file === undefined
      ? { name, value: value ?? '' }
      : { name, file: files.shown(file), ...(filename && { filename }), ...(contentType && { contentType }) },
  )

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
