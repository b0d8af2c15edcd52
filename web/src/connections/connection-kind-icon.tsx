import {
  IconBraces,
  IconCertificate,
  IconCloudLock,
  IconIdBadge2,
  IconKey,
  IconLockAccess,
  type IconProps,
  IconShieldLock,
  IconSignature,
  IconTicket,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { ConnectionKind } from '../api/api-types.ts'

const ICONS: Record<ConnectionKind, ComponentType<IconProps>> = {
  bearer: IconTicket,
  apiKey: IconKey,
  basic: IconIdBadge2,
  digest: IconShieldLock,
  oauth2: IconLockAccess,
  jwt: IconSignature,
  aws: IconCloudLock,
  tls: IconCertificate,
  custom: IconBraces,
}

export function ConnectionKindIcon({ kind, size = 16 }: { kind: ConnectionKind; size?: number }) {
  const Icon = ICONS[kind]
  return <Icon size={size} aria-hidden="true" />
}
