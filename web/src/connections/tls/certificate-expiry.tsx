// When the client certificate of a connection expires: a badge once it needs somebody.
import { Badge, Text } from '@mantine/core'
import type { Connection } from '../../api/api-types.ts'
import { plural } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { expiryOf } from './expiry.ts'

export function ExpiryBadge({ connection }: { connection: Connection }) {
  const expiry = connection.certificate && expiryOf(connection.certificate.expiresAt, Date.now())
  if (!expiry || expiry.state === 'fine') return null
  return (
    <Badge color={expiry.state === 'expired' ? 'red' : 'yellow'} variant="light" tt="none" radius="sm" mt={2}>
      {expiry.state === 'expired'
        ? 'Certificate expired'
        : expiry.days === 0
          ? 'Expires today'
          : `Expires in ${plural(expiry.days, 'day')}`}
    </Badge>
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
