// What the command says to the script that called it; docs/cli.md lists these.

export const EXIT = {
  ok: 0,
  /** It failed, or was refused. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  notFound: 3,
  /** Somebody else changed it, or its state does not allow this. */
  conflict: 4,
  /** No server answers, or it cannot work at the moment. */
  unreachable: 5,
  /** The token is missing or wrong, or its scope is not enough. */
  notAllowed: 6,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends the command with a message for people. */
export class CliError extends Error {
  readonly exit: ExitCode
  readonly code: string
  /** More lines below the message. */
  readonly details: readonly string[]
  constructor(exit: ExitCode, code: string, message: string, details: readonly string[] = []) {
    super(message)
    this.exit = exit
    this.code = code
    this.details = details
  }
}

export const usageError = (message: string): CliError => new CliError(EXIT.usage, 'usage', message)
