// What is open in the editor, as its address says it: ?step=order, ?trigger=true, ?failure=true, ?publish=true, ?view=yaml.

export interface EditorSearch {
  /** A step's id, or its pointer where the id does not name one step. */
  step?: string
  trigger?: true
  /** What is done when a run fails. */
  failure?: true
  publish?: true
  view?: 'yaml'
}

export function editorSearch(search: Record<string, unknown>): EditorSearch {
  const view = search['view'] === 'yaml' ? { view: 'yaml' as const } : {}
  if (typeof search['step'] === 'string' && search['step'] !== '') return { step: search['step'], ...view }
  // A step may be called by a number.
  if (typeof search['step'] === 'number') return { step: String(search['step']), ...view }
  if (isSet(search['publish'])) return { publish: true, ...view }
  if (isSet(search['trigger'])) return { trigger: true, ...view }
  if (isSet(search['failure'])) return { failure: true, ...view }
  return view
}

/** `?trigger` alone says it too. */
const isSet = (value: unknown): boolean => value === true || value === 'true' || value === ''
