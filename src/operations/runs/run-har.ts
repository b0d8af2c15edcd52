// Exports the requests of a run as an HTTP Archive (HAR 1.2), with the journal's marks in place of secrets.
import { STATUS_CODES } from 'node:http'
import { isObject } from '../../base/is-object.ts'
import { isFileValue } from '../../engine/files/file-value.ts'
import type { FileValue } from '../../engine/ports/files.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import { OperationError } from '../operation-error.ts'
import { readRunDocument, readWholeRun, type StepView } from './read-runs.ts'
import type { RunServices } from './services.ts'
import { type ShownRequest, shownRequest } from './shown-request.ts'

interface NameValue {
  name: string
  value: string
}

export interface HarEntry {
  startedDateTime: string
  time: number
  request: object
  response: object
  cache: object
  timings: { send: number; wait: number; receive: number }
  comment: string
  /** Why there is no reply. */
  _error?: string
}

export interface Har {
  log: { version: '1.2'; creator: { name: string; version: string }; entries: HarEntry[]; comment: string }
}

/** Returns the requests that the run has made so far. */
export async function runHar(services: RunServices, id: string, version: string): Promise<Har> {
  const run = await readWholeRun(services, id)
  const sendsJson = await jsonBodies(services, id)
  return {
    log: {
      version: '1.2',
      creator: { name: 'Millrace', version },
      entries: run.steps
        .filter(
          ({ kind, finishedAt, attempts, input }) =>
            services.kinds.get(kind)?.sendsRequest && (finishedAt !== null || attempts) && hasUrl(input),
        )
        .flatMap((step) => entriesOf(step, sendsJson(step.id), (value) => services.secrets.redact(value, run.flowId))),
      comment: `${run.id} of ${run.flowName ?? run.flowId}; secrets are replaced by [secret], [masked] or ***`,
    },
  }
}

interface Reply {
  status: number
  headers: Record<string, string>
  cookies?: string[]
  body: unknown
  url: string
  redirects: number
  durationMs: number
}

const hasUrl = (input: unknown): input is { method: string; url: string } =>
  typeof input === 'object' && input !== null && 'url' in input

/** Returns whether a step sends text bodies as JSON. The journal does not tell, but the flow does while it exists. */
async function jsonBodies(services: RunServices, id: string): Promise<(stepId: string) => boolean> {
  try {
    const { document } = await readRunDocument(services, id)
    const found = new Set<string>()
    JSON.stringify(document, (_, value) => {
      if (services.kinds.get(value?.kind)?.sendsRequest && value.body?.kind === 'json') found.add(value.id)
      return value
    })
    return (stepId) => found.has(stepId)
  } catch (error) {
    if (!(error instanceof OperationError)) throw error
    return () => false
  }
}

/** Returns an entry per attempt that has ended. Only the reply to the last one is kept whole. */
function entriesOf(step: StepView, isJson: boolean, redact: <T>(value: T) => T): HarEntry[] {
  if (!step.attempts) return [entryOf(step, isJson, redact)]
  return step.attempts.flatMap((attempt) => {
    const { number, startedAt, durationMs, status, error = null } = attempt
    if (durationMs === null) return []
    const isLast = number === step.attempt
    const finishedAt = new Date(Date.parse(startedAt) + durationMs).toISOString()
    const entry = entryOf(
      { ...step, attempt: number, startedAt, finishedAt, ...(!isLast && { output: null, error }) },
      isJson,
      redact,
    )
    if (isLast || status === undefined) return entry
    const { _error, ...replied } = entry
    const response = { ...NO_RESPONSE, status, statusText: STATUS_CODES[status] ?? '' }
    return { ...replied, response, comment: `${entry.comment}; of its reply only the status is kept` }
  })
}

function entryOf(step: StepView, isJson: boolean, redact: <T>(value: T) => T): HarEntry {
  const { path, attempt, error } = step
  const made = shownRequest(step)
  const { method, url } = step.input as { method: string; url: string }
  const output = step.output as Reply | null
  const reply = output?.status === undefined ? null : output
  const time = reply?.durationMs ?? Date.parse(step.finishedAt!) - Date.parse(step.startedAt)
  const notes = [
    `step ${path}`,
    ...(made ? [] : ['its request was not made']),
    ...(step.attempts ? [`attempt ${attempt}`] : []),
    ...(reply && reply.redirects > 0 ? [`redirects: ${reply.redirects}, the last to ${reply.url}`] : []),
  ]
  return {
    startedDateTime: step.startedAt,
    time,
    request: made
      ? requestOf(made, isJson, redact)
      : requestOf({ method, url, headers: [], body: null }, false, redact),
    response: reply ? responseOf(reply) : NO_RESPONSE,
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: notes.join('; '),
    ...(!reply && error ? { _error: `${error.code}: ${error.message}` } : {}),
  }
}

/** HAR's value for "unknown": the bytes of a message are not stored. */
const SIZES = { headersSize: -1, bodySize: -1 }
const HTTP = { httpVersion: 'HTTP/1.1' }

function requestOf({ method, url, headers, body }: ShownRequest, isJson: boolean, redact: <T>(value: T) => T): object {
  const contentType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const text = typeof body === 'string' && !isJson ? body : JSON.stringify(body)
  const mimeType = contentType ?? UNKNOWN_TYPE
  const files = isJson ? null : sentFiles(body)
  const query = url.split('?').slice(1).join('?')
  return {
    method,
    url,
    ...HTTP,
    cookies: [],
    headers,
    // A short secret is recognised only if it is the whole value, as here.
    queryString: [...formPairs(query)].map(([name, value]) => ({ name, value: redact(value) })),
    ...(body === null && !isJson ? {} : { postData: { mimeType, ...(files ?? { params: [], text }) } }),
    ...SIZES,
  }
}

/** Returns a body that has files: what they are, never their bytes; null if it has none. */
function sentFiles(body: unknown): object | null {
  if (isFileValue(body)) return { params: [], text: '', comment: describedFile(body), _file: body }
  const parts = isObject(body) && Array.isArray(body['multipart']) ? (body['multipart'] as MultipartField[]) : null
  if (!parts?.some(({ file }) => file !== undefined)) return null
  const params = parts.flatMap(({ name, value, file, filename, contentType }): object[] =>
    file === undefined
      ? [{ name, value }]
      : [file].flat().map((one) => ({
          name,
          fileName: filename ?? one.name ?? 'file',
          contentType: contentType ?? one.contentType,
          comment: describedFile(one),
          _file: one,
        })),
  )
  return { params, text: '' }
}

interface MultipartField {
  name: string
  value?: string
  file?: FileValue | FileValue[]
  filename?: string
  contentType?: string
}

const describedFile = ({ name, size, sha256 }: FileValue): string =>
  `${name ?? 'a file'}, ${size} bytes, SHA-256 ${sha256}`

const UNKNOWN_TYPE = 'x-unknown'
const NO_RESPONSE = {
  status: 0,
  statusText: '',
  ...HTTP,
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: UNKNOWN_TYPE },
  redirectURL: '',
  ...SIZES,
}

function responseOf({ status, headers, cookies = [], body }: Reply): object {
  const { 'set-cookie': _, ...others } = headers
  const pairs = [...Object.entries(others), ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])]
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    ...HTTP,
    cookies: cookies.map(cookieOf),
    headers: pairs.map(([name, value]) => ({ name, value })),
    content: { mimeType: headers['content-type'] ?? UNKNOWN_TYPE, ...contentOf(body, headers['content-type'] ?? '') },
    redirectURL: headers['location'] ?? '',
    ...SIZES,
  }
}

function cookieOf(header: string): NameValue {
  const pair = header.split(';', 1)[0]!
  const at = pair.indexOf('=')
  return { name: pair.slice(0, Math.max(0, at)).trim(), value: pair.slice(at + 1).trim() }
}

/** Returns the content. JSON is formatted again: its white space was not stored. */
function contentOf(
  body: unknown,
  contentType: string,
): { size: number; text?: string; encoding?: 'base64'; comment?: string; _file?: FileValue } {
  if (body === null) return { size: 0 }
  if (isFileValue(body) && typeof body.size === 'number')
    return { size: body.size, comment: describedFile(body), _file: body }
  const { base64, size } = body as { base64?: unknown; size?: unknown }
  if (typeof base64 === 'string' && typeof size === 'number' && !/json/.test(contentType))
    return { size, text: base64, encoding: 'base64' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { size: Buffer.byteLength(text), text }
}
