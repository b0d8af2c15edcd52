import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import classes from './overview.module.css'
import { RangeControl } from './range-control.tsx'
import { BusiestFlows, SlowestFlows, TopErrors } from './rankings.tsx'
import { Attention, ServiceState } from './service-state.tsx'
import { StatsCharts } from './stats-charts.tsx'

const route = getRouteApi('/signed-in/overview')

export function OverviewPage() {
  const { range = '24h' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: stats, isError, error, refetch } = useQuery(queries.stats(range))
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <RangeControl
            value={range}
            onChange={(value) => void navigate({ search: { range: value }, replace: true })}
          />
        }
      />
      <PageBody>
        {isError && (
          <ErrorNote
            title="The overview could not be loaded"
            error={error}
            onRetry={() => void refetch({ cancelRefetch: true })}
          />
        )}
        {!stats && !isError && <Skeleton height={480} />}
        {stats && (
          <div className={classes.overview}>
            <StatsCharts stats={stats} />
            <div className={classes.lists}>
              <BusiestFlows stats={stats} />
              <SlowestFlows stats={stats} />
              <TopErrors stats={stats} />
              <Attention {...stats} />
              {stats.instance && <ServiceState instance={stats.instance} />}
            </div>
          </div>
        )}
      </PageBody>
    </>
  )
}
