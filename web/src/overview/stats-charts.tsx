// What the overview and the page of a flow have in common: the totals and the charts.
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Stats } from '../api/api-types.ts'
import { formatDuration, plural } from '../ui/format.ts'
import { ChartCard } from './chart-card.tsx'
import { deliveriesLine, formatShare, runsLine, sumOfDeliveries, waitingWords } from './chart-data.ts'
import { failedRuns } from './failed-runs.ts'
import classes from './overview.module.css'

export function StatsCharts({ stats }: { stats: Stats }) {
  const { range, stepSeconds } = stats
  const runs = useMemo(() => runsLine(stats), [stats])
  const deliveries = useMemo(() => deliveriesLine(stats), [stats])
  return (
    <>
      <Totals stats={stats} />
      <div className={classes.charts}>
        <ChartCard line={runs} range={range} stepSeconds={stepSeconds} badColor="--mr-bad" />
        <ChartCard line={deliveries} range={range} stepSeconds={stepSeconds} badColor="--mr-wait" />
      </div>
    </>
  )
}

function Totals({ stats }: { stats: Stats }) {
  const { totals, waiting, flow } = stats
  const { deliveries, runs, successRate, p50Ms, p95Ms } = totals
  const count = (value: number) => value.toLocaleString('en')
  const of = flow ? { flow: flow.id } : {}
  return (
    <dl className={classes.totals}>
      <Total name="Deliveries" value={count(sumOfDeliveries(deliveries))}>
        {deliveries.rejected ? (
          <Link to="/inbox" search={{ outcome: 'rejected', ...of }}>
            {count(deliveries.rejected)} rejected
          </Link>
        ) : (
          'None rejected'
        )}
      </Total>
      <Total name="Runs" value={count(runs.started)}>
        {waiting.runs ? (
          <Link to="/runs" search={{ status: 'waiting', ...of }}>
            {waitingWords(waiting)} waiting now
          </Link>
        ) : (
          'None waiting now'
        )}
      </Total>
      <Total name="Success rate" value={successRate === null ? '–' : formatShare(successRate)}>
        {runs.failed ? (
          <Link to="/runs" search={failedRuns(stats, flow?.id)} className={classes.bad}>
            {plural(runs.failed, 'run')} failed
          </Link>
        ) : (
          'No run failed'
        )}
      </Total>
      <Total name="Typical duration" value={p50Ms === null ? '–' : formatDuration(p50Ms)}>
        {p95Ms === null ? 'No run ended' : `95% within ${formatDuration(p95Ms)}`}
      </Total>
    </dl>
  )
}

function Total({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className={classes.total}>
      <dt>{name}</dt>
      <dd className={classes.value}>{value}</dd>
      <dd className={classes.more}>{children}</dd>
    </div>
  )
}
