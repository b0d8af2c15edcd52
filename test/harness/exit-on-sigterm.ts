// Lets this process exit in good order when Vitest ends it, by a signal: what its files share is ended at the exit.
process.once('SIGTERM', () => process.exit())
