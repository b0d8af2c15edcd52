// What a check has found.

export interface CheckResult {
  check: string
  state: 'ok' | 'warning' | 'failed'
  says: string
}

export const ok = (check: string, says: string): CheckResult => ({ check, state: 'ok', says })
export const warning = (check: string, says: string): CheckResult => ({ check, state: 'warning', says })
export const failed = (check: string, says: string): CheckResult => ({ check, state: 'failed', says })
