// Changes what a replay begins with: parts of the delivery, and results of steps to take as given. What is given is taken
// literally, so a mask that is sent back stays a mask; what is not given stays as it is stored.
import { CODE } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import type { JournalEntry, NewRun } from '../../engine/ports/run-journal.ts'
import {
  collectPairs,
  FORM_TYPE,
  isJsonType,
  isXmlType,
  mediaType,
  type StoredRequest,
  type WebhookData,
  webhookData,
} from '../../engine/webhook-data.ts'
import { formEncoded } from '../../flow/form-pairs.ts'
import { MULTIPART } from '../../flow/formats/file-types.ts'
import { findStep } from '../flows/find-step.ts'
import { writtenXml } from '../flows/given-webhook.ts'
import { OperationError } from '../operation-error.ts'
import { documentOf } from './read-runs.ts'
import type { RunServices } from './services.ts'

export interface ReplayChanges {
  /** Parts of the delivery; the others stay as they were. */
  webhook?: Partial<Pick<WebhookData, 'body' | 'headers' | 'query'>>
  /** Results by the path of their step. */
  steps?: Record<string, unknown>
}

const GIVEN = 'Given: the step did not run, this is the result that was given for the replay.'

export function editedWebhook(
  original: WebhookData | null,
  { body, headers, query }: NonNullable<ReplayChanges['webhook']>,
): WebhookData {
  if (!original)
    throw new OperationError(CODE.invalid_request, 'No delivery started this run: it has no webhook to change.')
  const sent = headers ? lowerCased(headers) : original.headers
  const contentType = headers ? (sent['content-type'] ?? null) : original.metadata.contentType
  const rawBody = body === undefined ? original.rawBody : textOf(body, contentType, original.metadata.xml !== undefined)
  const request: StoredRequest = {
    headers: sent,
    queryAll: query ? collectPairs(Object.entries(query)) : original.queryAll,
    metadata: { ...original.metadata, contentType, contentLength: Buffer.byteLength(rawBody) },
    ...(original.files && { files: original.files }),
    ...(original.file && { file: original.file }),
  }
  return webhookData(request, rawBody)
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  const lower: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value
  return lower
}

/** Returns the body as the sender would have sent it. */
function textOf(body: unknown, contentType: string | null, isParsed: boolean): string {
  const type = mediaType(contentType)
  if (isJsonType(type)) return JSON.stringify(body)
  if (typeof body === 'string') return body
  if ((type === FORM_TYPE || type === MULTIPART) && isObject(body))
    return formEncoded(Object.entries(body).map(([name, value]) => [name, String(value)]))
  if (isParsed && isXmlType(type)) return writtenXml(body)
  throw new OperationError(CODE.invalid_request, `webhook.body takes text: the content type is "${type}".`)
}

export async function givenEntries(
  services: RunServices,
  run: NewRun,
  steps: NonNullable<ReplayChanges['steps']>,
): Promise<JournalEntry[]> {
  const document = (await documentOf(services, run)) as { steps?: unknown[] }
  const now = services.now()
  const entries: JournalEntry[] = []
  for (const [path, output] of Object.entries(steps)) {
    if (/[[#]/.test(path))
      throw new OperationError(
        CODE.invalid_request,
        `"${path}" is inside of a loop: give the result of the whole loop instead.`,
      )
    const id = path.slice(path.lastIndexOf('/') + 1)
    const { step } = findStep(run.flowId, document, id)
    const assigns = services.kinds.get(step.kind)?.assigns !== undefined
    entries.push({
      path,
      id,
      kind: step.kind,
      seq: (await services.runs.seqOf(run.replayOf!, path)) ?? entries.length + 1,
      status: 'succeeded',
      attempt: 1,
      startedAt: now,
      finishedAt: now,
      outcome: assigns && isObject(output) ? 'assign' : 'done',
      decision: null,
      resumeAt: null,
      input: null,
      output,
      error: null,
      logs: [GIVEN],
    })
  }
  return entries
}
