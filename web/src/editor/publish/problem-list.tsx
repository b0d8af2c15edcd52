import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react'
import type { FieldIssue } from '../../fields/field-context.tsx'
import { allSteps, isInside, ON_FAILURE, stepKeys } from '../../flow-model/flow-tree.ts'
import { issueWords } from '../../flow-model/issue-words.ts'
import { useEditor } from '../state/editor-context.tsx'
import classes from './publish.module.css'

/** Each problem leads to the step it is at. */
export function ProblemList({ issues }: { issues: readonly FieldIssue[] }) {
  const { document, open, search } = useEditor()
  const places = allSteps(document)
  const keys = stepKeys(document)
  const view = search.view ? { view: search.view } : {}
  return (
    <div>
      {issues.map((issue) => {
        const { path, code, message, warning } = issue
        const place = places.findLast((one) => isInside(path, one.path))
        const handles = isInside(path, ON_FAILURE)
        const where = place
          ? place.step.id
          : handles
            ? 'when a run fails'
            : isInside(path, '/trigger')
              ? 'trigger'
              : 'flow'
        const other = handles ? { failure: true as const } : { trigger: true as const }
        return (
          <button
            key={`${path} ${code} ${message}`}
            type="button"
            className={classes.problem}
            data-warning={warning || undefined}
            onClick={() => open({ ...(place ? { step: keys.get(place.path)! } : other), ...view })}
          >
            {warning ? (
              <IconAlertTriangle size={14} aria-hidden="true" />
            ) : (
              <IconAlertCircle size={14} aria-hidden="true" />
            )}
            <span>
              <code>{where}</code> {issueWords(issue)}
            </span>
          </button>
        )
      })}
    </div>
  )
}
