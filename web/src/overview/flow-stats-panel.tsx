// The statistics of one flow: its totals, its charts and what fails in it.
import { Group, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import type { StatsRange } from './chart-data.ts'
import classes from './overview.module.css'
import { RangeControl } from './range-control.tsx'
import { TopErrors } from './rankings.tsx'
import { StatsCharts } from './stats-charts.tsx'

export function FlowStatsPanel({ flowId }: { flowId: string }) {
  const [range, setRange] = useState<StatsRange>('24h')
  const { data: stats, isError, error, refetch } = useQuery(queries.stats(range, flowId))
  return (
    <div className={classes.overview}>
      <Group justify="flex-end">
        <RangeControl value={range} onChange={setRange} />
      </Group>
      {isError && (
        <ErrorNote
          title="The statistics could not be loaded"
          error={error}
          onRetry={() => void refetch({ cancelRefetch: true })}
        />
      )}
      {!stats && !isError && <Skeleton height={320} />}
      {stats && (
        <>
          <StatsCharts stats={stats} />
          {stats.errors.length > 0 && <TopErrors stats={stats} />}
        </>
      )}
    </div>
  )
}
