// Errors for reasons outside of the program, which keep the service from starting or a command from working. The message
// says what is wrong and what to do.

export class Refusal extends Error {}

/** The database is not usable as it is, and is left unchanged. */
export class DatabaseRefused extends Refusal {}

/** The key does not open the sealed data. */
export class KeyRefused extends Refusal {}

export class TooFewFiles extends Refusal {}
