import { usageError } from './exit-code.ts'

/** Returns the query that names these labels, each given as `name=value`. */
export function labelsQuery(labels: readonly string[]): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(givenLabels(labels))) query.set(`label.${name}`, value)
  return query
}

/** Reads `--label name=value`, given once or more. */
export function givenLabels(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    labels.map((label) => {
      const at = label.indexOf('=')
      if (at < 1) throw usageError(`--label takes name=value, such as order=7, and not "${label}".`)
      return [label.slice(0, at), label.slice(at + 1)]
    }),
  )
}
