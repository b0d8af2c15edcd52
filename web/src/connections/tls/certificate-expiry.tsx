// When the client certificate of a connection expires: a mark once it needs somebody.
import { Text } from '@mantine/core'
import type { Connection } from '../../api/api-types.ts'
import { plural } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { expiryOf } from './expiry.ts'

export function ExpiryBadge({ connection }: { connection: Connection }) {
  const expiry = connection.certificate && expiryOf(connection.certificate.expiresAt, Date.now())
  if (!expiry || expiry.state === 'fine') return null
  if (expiry.state === 'expired') return <StatusDot status="failed" word="Certificate expired" />
  return (
    <StatusDot
      status="unproven"
      word={expiry.days === 0 ? 'Expires within a day' : `Expires in ${plural(expiry.days, 'day')}`}
    />
  )
}

export function CertificateLine({ connection: { certificate } }: { connection: Connection }) {
  if (!certificate) return null
  const isOver = Date.parse(certificate.expiresAt) <= Date.now()
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      The client certificate {certificate.subject} {isOver ? 'expired' : 'expires'}{' '}
      <RelativeTime at={certificate.expiresAt} />.
    </Text>
  )
}
