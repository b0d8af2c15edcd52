import type { Issue } from '../../flow/issue.ts'
import { publishIssues, warnings } from '../../flow/validate/validate.ts'
import type { Actor } from '../ports/access.ts'
import { checkCalls } from './calls/check-calls.ts'
import { dataShapes, findFlow, findings } from './draft.ts'
import type { FlowServices } from './services.ts'

/** Returns what publish would find, checked against the samples of `flowId` if given. Saves nothing. */
export async function validateFlow(
  services: FlowServices,
  actor: Actor,
  document: unknown,
  flowId: string | null,
): Promise<{ issues: Issue[]; warnings: Issue[] }> {
  const data = flowId === null ? undefined : await dataShapes(services, (await findFlow(services, flowId)).id)
  const calls = await checkCalls(services, actor, flowId, document)
  const found = [...findings(services, flowId, document, data), ...calls.findings].map((finding) => ({
    ...finding,
    // Messages may contain keys of samples.
    message: flowId === null ? finding.message : services.secrets.redact(finding.message, flowId),
  }))
  return { issues: publishIssues(found), warnings: warnings(found) }
}
