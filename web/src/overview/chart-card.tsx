import { Skeleton, Table, Text, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import { type ChartLine, formatStep, isEmpty, type StatsRange, wordsOf } from './chart-data.ts'
import classes from './overview.module.css'

const BarChart = lazy(async () => ({ default: (await import('./bar-chart.tsx')).BarChart }))

interface ChartCardProps {
  line: ChartLine
  range: StatsRange
  stepSeconds: number
  badColor: '--mr-bad' | '--mr-wait'
}

/** A chart, and the same numbers as a table for whoever would rather read. */
export function ChartCard({ line, range, stepSeconds, badColor }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false)
  const [index, setIndex] = useState<number | null>(null)
  const pointed = index === null || asTable ? undefined : line.points[index]
  return (
    <section className={classes.card} aria-label={line.title}>
      <header className={classes.cardHead}>
        <h2>{line.title}</h2>
        <div className={classes.legend}>
          {pointed && <span className={classes.when}>{formatStep(pointed.at, range)}</span>}
          <LegendEntry color="--mr-accent" label={line.good} count={pointed?.good} />
          <LegendEntry color={badColor} label={line.bad} count={pointed?.bad} />
        </div>
        <UnstyledButton
          className={classes.asTable}
          aria-pressed={asTable}
          aria-label={`${line.title} as a table`}
          onClick={() => setAsTable(!asTable)}
        >
          Table
        </UnstyledButton>
      </header>
      {asTable ? (
        <PointTable line={line} range={range} />
      ) : isEmpty(line) ? (
        <Text c="dimmed" size="sm" ta="center" className={classes.nothing}>
          Nothing in {wordsOf(range)}.
        </Text>
      ) : (
        <div role="img" aria-label={line.summary}>
          <Suspense fallback={<Skeleton height={170} />}>
            <BarChart
              points={line.points}
              range={range}
              stepSeconds={stepSeconds}
              badColor={badColor}
              onPoint={setIndex}
            />
          </Suspense>
        </div>
      )}
    </section>
  )
}

function LegendEntry({ color, label, count }: { color: string; label: string; count: number | undefined }) {
  return (
    <span className={classes.entry}>
      <span className={classes.swatch} style={{ background: `var(${color})` }} aria-hidden="true" />
      {label}
      {count !== undefined && <strong>{count.toLocaleString('en')}</strong>}
    </span>
  )
}

/** The newest first, without the times in which nothing happened. */
function PointTable({ line, range }: { line: ChartLine; range: StatsRange }) {
  const points = useMemo(() => line.points.filter(({ good, bad }) => good + bad > 0).toReversed(), [line])
  if (points.length === 0)
    return (
      <Text c="dimmed" size="sm" ta="center" className={classes.nothing}>
        Nothing in {wordsOf(range)}.
      </Text>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
    <section className={classes.points} tabIndex={0} aria-label={`${line.title} by time`}>
      <Table verticalSpacing={3}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th ta="right">{line.good}</Table.Th>
            <Table.Th ta="right">{line.bad}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.map(({ at, good, bad }) => (
            <Table.Tr key={at}>
              <Table.Td>{formatStep(at, range)}</Table.Td>
              <Table.Td ta="right">{good.toLocaleString('en')}</Table.Td>
              <Table.Td ta="right">{bad.toLocaleString('en')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
