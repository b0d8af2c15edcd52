// Stands apart from the schemas of document.ts, which many pages of the web UI do without.
import { isObject } from '../base/is-object.ts'

/** Returns the lists of steps of a document, which may be a draft, each with its JSON Pointer. */
export function stepLists(document: unknown): { list: unknown[]; path: string }[] {
  if (!isObject(document)) return []
  return ['steps', 'onFailure'].flatMap((key) => {
    const list = document[key]
    return Array.isArray(list) ? [{ list, path: `/${key}` }] : []
  })
}
