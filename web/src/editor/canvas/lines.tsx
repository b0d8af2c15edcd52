import { memo } from 'react'
import { type Layout, linePath } from '../../flow-model/layout.ts'
import type { TakenPath } from '../../flow-model/taken-path.ts'
import classes from './canvas.module.css'

/** Where a run is looked at, the way it took stands out: thicker and in full, the rest is dashed. */
export const Lines = memo(function Lines({ layout, taken }: { layout: Layout; taken: TakenPath | null }) {
  return (
    <svg className={classes.lines} width={layout.width} height={layout.height} aria-hidden="true">
      {layout.lines.map(({ id, key, points, arrow }) => {
        const [x, y] = points.at(-1)!
        return (
          <g key={key} data-taken={taken ? taken.lines.has(id) : undefined}>
            <path d={linePath(points)} />
            {arrow && <path className={classes.head} d={`M${x - 4},${y - 6}L${x + 4},${y - 6}L${x},${y}Z`} />}
          </g>
        )
      })}
    </svg>
  )
})
