// Returns the environment of a child process: the machine's own, for what only it carries (certificates, proxies, npm's
// settings), without the settings of a Millrace, and with those of the test.

/** Variables of the developer's own Millrace, of the test runner, and of a terminal that is not the child's. */
const NOT_PASSED_ON = /^(MILLRACE_|DATABASE_URL$|VITEST|FORCE_COLOR$)/

export function childEnvironment(changes: Record<string, string | undefined> = {}): Record<string, string> {
  const passedOn = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name))
  const all = [...passedOn, ...Object.entries(changes)].filter(([, value]) => value !== undefined)
  return Object.fromEntries(all) as Record<string, string>
}
