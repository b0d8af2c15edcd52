// The port to the second factors of users who sign in with a password.

export interface SecondFactor {
  /** The secret that the user's app has too, in base32. */
  secret: string
  confirmedAt: number | null
  /** The step of time of the last code that was taken. */
  usedStep: number
}

export interface SecondFactorStore {
  get(userId: string): Promise<SecondFactor | null>
  /** Keeps a secret that is yet to be confirmed. Returns false if the user has a confirmed one already. */
  begin(userId: string, secret: string, at: number): Promise<boolean>
  /** Confirms the secret by its first code, and stores the digests of recovery codes. Returns false if that was done before. */
  confirm(userId: string, step: number, at: number, recoveryCodes: readonly string[]): Promise<boolean>
  /** Returns false if a code of this step or a later one was taken before. */
  useStep(userId: string, step: number): Promise<boolean>
  /** Returns false if there is no such code, or it was used. */
  useRecoveryCode(userId: string, digest: string): Promise<boolean>
  replaceRecoveryCodes(userId: string, digests: readonly string[]): Promise<void>
  recoveryCodesLeft(userId: string): Promise<number>
  /** Returns false if the user has none that is confirmed. */
  remove(userId: string): Promise<boolean>
  /** Returns those of the users who have one that is confirmed. */
  having(userIds: readonly string[]): Promise<Set<string>>
}

/** Codes of an authenticator app (TOTP, RFC 6238). */
export interface OneTimeCodes {
  newSecret(): string
  /** Returns the address that an app reads from the QR code. */
  url(secret: string, account: string): string
  /** Returns the step of time that the code is for, if it is now or a step beside; null if the code is wrong. */
  stepOf(secret: string, code: string, now: number): number | null
}
