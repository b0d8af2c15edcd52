import type { Stats } from '../api/api-types.ts'

/** The search of the list of runs that shows what failed in the time of the statistics. */
export function failedRuns({ range, from }: Pick<Stats, 'range' | 'from'>, flow?: string) {
  // The list has no range of 30 days.
  const time = range === '30d' ? { since: from } : { range }
  return { status: 'failed', ...(flow && { flow }), ...time } as const
}
