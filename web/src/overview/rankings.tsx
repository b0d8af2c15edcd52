import { Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Stats } from '../api/api-types.ts'
import { formatDuration } from '../ui/format.ts'
import { wordsOf } from './chart-data.ts'
import { failedRuns } from './failed-runs.ts'
import classes from './overview.module.css'

const count = (value: number) => value.toLocaleString('en')
const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms))

export function BusiestFlows({ stats }: { stats: Stats }) {
  return (
    <List title="Busiest flows" none={`No runs in ${wordsOf(stats.range)}.`} columns={['Flow', 'Runs', 'Failed']}>
      {stats.busiest.map(({ flowId, flowName, runs }) => (
        <Table.Tr key={flowId}>
          <FlowCell id={flowId} name={flowName} />
          <NumberCell value={count(runs.started)} />
          <Table.Td ta="right">
            {runs.failed ? (
              <Link to="/runs" search={failedRuns(stats, flowId)} className={classes.bad}>
                {count(runs.failed)}
                <span className={classes.unseen}> failed runs of {flowName}</span>
              </Link>
            ) : (
              <span className={classes.zero}>0</span>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </List>
  )
}

export function SlowestFlows({ stats }: { stats: Stats }) {
  return (
    <List title="Slowest flows" none={`No run ended in ${wordsOf(stats.range)}.`} columns={['Flow', 'Typical', '95%']}>
      {stats.slowest.map(({ flowId, flowName, p50Ms, p95Ms }) => (
        <Table.Tr key={flowId}>
          <FlowCell id={flowId} name={flowName} />
          <NumberCell value={duration(p50Ms)} />
          <NumberCell value={duration(p95Ms)} />
        </Table.Tr>
      ))}
    </List>
  )
}

export function TopErrors({ stats }: { stats: Stats }) {
  const { flow, range, errors } = stats
  return (
    <List
      title="Most frequent errors"
      none={`No run failed in ${wordsOf(range)}.`}
      columns={flow ? ['Error', 'Runs'] : ['Error', 'Flow', 'Runs']}
    >
      {errors.map(({ flowId, flowName, code, runs }) => (
        <Table.Tr key={`${flowId} ${code}`}>
          <Table.Td className={classes.code}>
            <Link to="/runs" search={failedRuns(stats, flowId)}>
              {code}
              <span className={classes.unseen}> in {flowName}</span>
            </Link>
          </Table.Td>
          {!flow && <FlowCell id={flowId} name={flowName} />}
          <NumberCell value={count(runs)} />
        </Table.Tr>
      ))}
    </List>
  )
}

function FlowCell({ id, name }: { id: string; name: string }) {
  return (
    <Table.Td className={classes.flow}>
      <Link to="/flows/$id/stats" params={{ id }} title={name}>
        {name}
      </Link>
    </Table.Td>
  )
}

function NumberCell({ value }: { value: string }) {
  return (
    <Table.Td ta="right" className={classes.number}>
      {value}
    </Table.Td>
  )
}

interface ListProps {
  title: string
  none: string
  columns: string[]
  children: ReactNode[]
}

/** The first columns are words, the last are numbers. */
function List({ title, none, columns, children }: ListProps) {
  const words = columns.filter((name) => name === 'Flow' || name === 'Error').length
  return (
    <section className={classes.card} aria-label={title}>
      <header className={classes.cardHead}>
        <h2>{title}</h2>
      </header>
      {children.length === 0 ? (
        <Text c="dimmed" size="sm">
          {none}
        </Text>
      ) : (
        <Table verticalSpacing={5} horizontalSpacing={6} className={classes.list} data-words={words}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((name, i) => (
                <Table.Th key={name} ta={i < words ? 'left' : 'right'}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      )}
    </section>
  )
}
