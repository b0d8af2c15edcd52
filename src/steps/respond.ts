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
    },
    { additionalProperties: false },
  ),
  check({ headers }) {
    const issues: StepIssue[] = []
    const report = (path: string, code: IssueCode, message: string) => void issues.push({ path, code, message })
    checkReplyHeaders(headers, '/headers', report)
    return issues
  },
  run: ({ settings: { status, headers, body } }) => reply({ status: status ?? 200, headers: headers ?? [], body }),
})
