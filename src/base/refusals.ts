// Why the service cannot start, or a command cannot do its work, for a reason that lies outside of the program. The message says
// what is wrong and what to do.

export class Refusal extends Error {}

/** The database cannot be used as it is, and stays as it is. */
export class DatabaseRefused extends Refusal {}

/** The key does not open what is sealed. */
export class KeyRefused extends Refusal {}

export class TooFewFiles extends Refusal {}
