// Codes of an authenticator app (TOTP, RFC 6238), with the settings that every app knows: SHA-1, six digits, 30 seconds.
import { Secret, TOTP } from 'otpauth'
import type { OneTimeCodes } from '../operations/ports/sign-in/second-factors.ts'

const PERIOD_S = 30
const SECRET_BYTES = 20
/** A code is taken a step before and after its time: clocks differ, and people type slowly. */
const STEPS_BESIDE = 1

const totpOf = (secret: string, label: string) =>
  new TOTP({
    issuer: 'Millrace',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: Secret.fromBase32(secret),
  })

export function createOneTimeCodes(): OneTimeCodes {
  return {
    newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
    url: (secret, account) => totpOf(secret, account).toString(),
    stepOf(secret, code, now) {
      if (secret === '' || !/^\d{6}$/.test(code)) return null
      const beside = totpOf(secret, '').validate({ token: code, timestamp: now, window: STEPS_BESIDE })
      return beside === null ? null : Math.floor(now / 1000 / PERIOD_S) + beside
    },
  }
}
