// What an operation refuses, with a stable code and a message the user can act on; http/ alone maps codes to statuses.
import type { Issue } from '../flow/issue.ts'

export type OperationErrorCode =
  | 'not_found'
  | 'revision_conflict'
  | 'invalid_request'
  | 'flow_invalid'
  | 'conflict'
  | 'forbidden'
  | 'unauthorized'
  | 'rate_limited'

export class OperationError extends Error {
  readonly code: OperationErrorCode
  readonly issues: Issue[] | null
  constructor(code: OperationErrorCode, message: string, issues: Issue[] | null = null) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

export class RateLimited extends OperationError {
  readonly retryAfterS: number
  constructor(message: string, retryAfterS: number) {
    super('rate_limited', message)
    this.retryAfterS = retryAfterS
  }
}

export const notFound = (what: string, id: string): OperationError =>
  new OperationError('not_found', `There is no ${what} ${id}.`)

export class FlowInvalid extends OperationError {
  constructor(issues: Issue[]) {
    const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`
    super('flow_invalid', `The flow has ${count}; the first: ${issues[0]!.path || '/'}: ${issues[0]!.message}`, issues)
  }
}
