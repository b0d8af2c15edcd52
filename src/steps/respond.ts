import Type from 'typebox'
import type { IssueCode } from '../base/error-catalogue.ts'
import { defineStep, reply, type StepIssue } from '../engine/step-kind.ts'
import { checkReplyHeaders } from '../flow/reply-header.ts'
import { json, NameValueList, templated } from '../flow/schema.ts'

export const respond = defineStep({
  kind: 'respond',
  label: 'Respond',
  answersCaller: true,
  settings: Type.Object(
    {
      status: Type.Optional(templated(Type.Integer({ minimum: 200, maximum: 599, default: 200 }))),
      headers: Type.Optional(NameValueList),
      body: Type.Optional(json('Any JSON value; with a non-JSON Content-Type, text is sent as it is.')),
      file: Type.Optional(json('A file in place of a body, such as {{ steps.report.body }}.')),
    },
    { additionalProperties: false },
  ),
  check({ headers, body, file }) {
    const issues: StepIssue[] = []
    if (body !== undefined && file !== undefined)
      issues.push({ path: '/file', code: 'conflicting', message: 'A reply has a body or a file; remove one.' })
    const report = (path: string, code: IssueCode, message: string) => void issues.push({ path, code, message })
    checkReplyHeaders(headers, '/headers', report)
    return issues
  },
  run({ settings: { status, headers, body, file }, files, runId }) {
    const given = { status: status ?? 200, headers: headers ?? [], body }
    if (file === undefined) return reply(given)
    return files.open(file).then(({ value }) => reply({ ...given, file: { value, run: runId } }))
  },
})
