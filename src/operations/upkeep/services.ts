import type { FileStore } from '../../engine/ports/files.ts'
import type { DeliveryServices } from '../deliveries/services.ts'
import type { FailureServices } from '../failures/services.ts'
import type { AuditChains } from '../ports/audit-log/chain.ts'
import type { Basics } from '../ports/basics.ts'
import type { Backups, Erasing, FileKeeping, Housekeeping } from '../ports/upkeep.ts'
import type { RunServices } from '../runs/services.ts'
import type { Audit } from './audit.ts'
import type { KeyRotation } from './key-rotation.ts'

export interface UpkeepServices
  extends Basics,
    Pick<RunServices, 'engine' | 'stats'>,
    Pick<FailureServices, 'failures' | 'replays'>,
    Pick<DeliveryServices, 'rate' | 'deliveries'> {
  audit: Audit
  auditChains: AuditChains
  housekeeping: Housekeeping
  files: FileStore & FileKeeping
  erasing: Erasing
  /** null if the data is in PostgreSQL, which has its own backups. */
  backups: Backups | null
  keyRotation: KeyRotation
}
