// Checks what the schemas of callbacks and approvals cannot express.
import type { IssueCode } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { quoted } from '../issue.ts'
import { checkAccepted, checkAuth } from '../triggers/webhook/check.ts'

type Report = (path: string, code: IssueCode, message: string) => void

export function checkCallback(callback: unknown, report: Report): void {
  if (!isObject(callback)) return
  checkAccepted(callback['accept'], report)
  checkAuth(callback['auth'], report)
}

export function checkApproval(approval: unknown, report: Report): void {
  if (!isObject(approval)) return
  const { answers, fields } = approval
  if (Array.isArray(answers))
    for (const [i, answer] of answers.entries())
      if (answers.indexOf(answer) < i)
        report(
          `/answers/${i}`,
          'duplicate_name',
          `${quoted(String(answer))} is an answer already; each is listed once.`,
        )
  if (!Array.isArray(fields)) return
  const names = fields.map((field) => (isObject(field) ? field['name'] : undefined))
  for (const [i, name] of names.entries())
    if (typeof name === 'string' && names.indexOf(name) < i)
      report(`/fields/${i}/name`, 'duplicate_name', `Another field has the name ${quoted(name)}; each has its own.`)
}
