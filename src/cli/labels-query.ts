import { usageError } from './exit-code.ts'

/** Returns the query that names these labels, each given as `name=value`. */
export function labelsQuery(labels: readonly string[]): URLSearchParams {
  const query = new URLSearchParams()
  for (const label of labels) {
    const at = label.indexOf('=')
    if (at < 1) throw usageError(`--label takes name=value, such as order=7, and not "${label}".`)
    query.set(`label.${label.slice(0, at)}`, label.slice(at + 1))
  }
  return query
}
