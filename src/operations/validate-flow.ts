import type { Issue } from '../flow/issue.ts'
import { publishIssues, warnings } from '../flow/validate.ts'
import { findings } from './draft.ts'
import type { Services } from './services.ts'

/** What publish would find; saves nothing. */
export function validateFlow(services: Services, document: unknown): { issues: Issue[]; warnings: Issue[] } {
  const found = findings(services, document)
  return { issues: publishIssues(found), warnings: warnings(found) }
}
