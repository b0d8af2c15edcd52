// Errors of operations, with a stable code and a message that the user can act on. Only http/ maps codes to statuses.
import { API_ERRORS, type ApiErrorCode, CODE, filled } from '../base/error-catalogue.ts'
import type { Issue } from '../flow/issue.ts'

export class OperationError extends Error {
  readonly code: ApiErrorCode
  readonly issues: Issue[] | null
  constructor(code: ApiErrorCode, message: string, issues: Issue[] | null = null) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** Says in how many seconds the same request may succeed. */
export class TryLater extends OperationError {
  readonly retryAfterS: number
  constructor(code: ApiErrorCode, message: string, retryAfterS: number) {
    super(code, message)
    this.retryAfterS = retryAfterS
  }
}

export class RateLimited extends TryLater {
  constructor(message: string, retryAfterS: number) {
    super(CODE.rate_limited, message, retryAfterS)
  }
}

/** Says that somebody else was faster, or that it is too late: its status is that of a conflict. */
export class TooLate extends OperationError {
  constructor(message: string) {
    super(CODE.callback_closed, message)
  }
}

/** Says that the data of a run, or of a delivery, is needed that its flow does not keep. */
export class DataDeleted extends OperationError {
  constructor() {
    super(CODE.run_data_deleted, API_ERRORS.run_data_deleted.message)
  }
}

export const notFound = (what: string, id: string): OperationError =>
  new OperationError(CODE.not_found, filled(API_ERRORS.not_found.message, { what, id }))

export class FlowInvalid extends OperationError {
  constructor(issues: Issue[]) {
    const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`
    const [{ path, message: problem }] = issues as [Issue]
    super(
      CODE.flow_invalid,
      filled(API_ERRORS.flow_invalid.message, { problems: count, path: path || '/', problem }),
      issues,
    )
  }
}
