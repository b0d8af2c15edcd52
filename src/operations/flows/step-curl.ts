import { CODE } from '../../base/error-catalogue.ts'
import type { HttpRequestSettings } from '../../flow/curl/http-settings.ts'
import { toCurl } from '../../flow/curl/to-curl.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { OperationError } from '../operation-error.ts'
import { findFlow } from './draft.ts'
import { findStep } from './find-step.ts'
import type { FlowServices } from './services.ts'

/** Returns a request of the draft as a curl command, with unresolved templates and placeholders for secrets. */
export async function stepCurl(services: FlowServices, flowId: string, stepId: string): Promise<{ curl: string }> {
  const { draft } = await findFlow(services, flowId)
  const document = parseJson(draft) as { steps?: unknown[] }
  const { step } = findStep(flowId, document, stepId)
  if (!services.kinds.get(step.kind)?.sendsRequest)
    throw new OperationError(
      CODE.invalid_request,
      `${stepId} is of the kind ${step.kind}; only http steps send a request.`,
    )
  services.published.touch(flowId, document)
  // A secret of the flow may have been typed into a field that is not secret.
  return { curl: services.secrets.redact(toCurl(step as unknown as HttpRequestSettings), flowId) }
}
