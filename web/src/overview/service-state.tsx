import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Stats } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { useMayAny } from '../api/session.ts'
import { Facts } from '../ui/facts.tsx'
import { formatBytes, formatDuration, plural } from '../ui/format.ts'
import { waitingWords } from './chart-data.ts'
import classes from './overview.module.css'

/** What somebody has to look at: connections that lost their access, questions to people, and runs that wait. */
export function Attention({ connections, waiting }: Stats) {
  const approvals = useInfiniteQuery({ ...queries.approvals, enabled: useMayAny('approvals', 'runs:data') })
  const asked = approvals.data?.pages.flatMap(({ items }) => items).length ?? 0
  const nothing = connections.length === 0 && waiting.runs === 0 && asked === 0
  return (
    <section className={classes.card} aria-label="Needs attention">
      <header className={classes.cardHead}>
        <h2>Needs attention</h2>
      </header>
      {nothing && (
        <Text c="dimmed" size="sm">
          Nothing: every connection is ready, and no run waits.
        </Text>
      )}
      <ul className={classes.attention}>
        {connections.map(({ name, state, reason }) => (
          <li key={name}>
            <Link to="/connections/$name" params={{ name }}>
              {state === 'reconnect' ? 'Reconnect' : 'Connect'} {name}
            </Link>
            {reason && <span className={classes.reason}>{reason}</span>}
          </li>
        ))}
        {asked > 0 && (
          <li>
            <Link to="/approvals">
              {asked === 1 ? '1 approval waits' : `${asked}${approvals.hasNextPage ? '+' : ''} approvals wait`} for you
            </Link>
          </li>
        )}
        {waiting.runs > 0 && (
          <li>
            <Link to="/runs" search={{ status: 'waiting' }}>
              {waitingWords(waiting)} waiting
            </Link>
            <span className={classes.reason}>for a time, for somebody, or for the next retry</span>
          </li>
        )}
      </ul>
    </section>
  )
}

const DATABASES = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export function ServiceState({ instance }: { instance: NonNullable<Stats['instance']> }) {
  const { fault, queue, version, node, database } = instance
  const oldest = queue.oldestSeconds >= 1 ? `, the oldest for ${formatDuration(queue.oldestSeconds * 1000)}` : ''
  const free = database.freeBytes === null ? '' : `, ${formatBytes(database.freeBytes)} free`
  return (
    <section className={`${classes.card} ${classes.wide}`} aria-label="Service">
      <header className={classes.cardHead}>
        <h2>Service</h2>
        <span className={classes.state} data-fault={fault !== null || undefined}>
          {fault ?? 'Working'}
        </span>
      </header>
      <Facts
        facts={[
          ['Queue', `${plural(queue.queued, 'run')} of at most ${queue.limit.toLocaleString('en')}${oldest}`],
          ['Running now', plural(queue.running, 'run')],
          ['Database', `${formatBytes(database.bytes)}${free}`],
          [
            'Versions',
            `Millrace ${version}, Node ${node.replace(/^v/, '')}, ${DATABASES[database.kind]} ${database.version}`,
          ],
        ]}
      />
    </section>
  )
}
