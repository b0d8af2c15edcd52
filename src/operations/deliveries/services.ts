import type { CallbackJournal } from '../../engine/ports/callbacks.ts'
import type { FileStore } from '../../engine/ports/files.ts'
import type { HandedOver } from '../connections/keep-handed-over.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { DeliveryStore } from '../ports/deliveries.ts'
import type { RunServices } from '../runs/services.ts'
import type { Intake } from './intake.ts'
import type { KeptRejections } from './kept-rejections.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Replies } from './replies.ts'

/** The services that accepting a delivery needs. */
export interface DeliveryServices
  extends Pick<
    RunServices,
    | 'config'
    | 'connections'
    | 'env'
    | 'events'
    | 'flows'
    | 'hashing'
    | 'ids'
    | 'kinds'
    | 'maxPaused'
    | 'maxQueue'
    | 'meters'
    | 'now'
    | 'published'
    | 'queue'
    | 'runs'
    | 'samples'
    | 'secrets'
    | 'surroundings'
    | 'warn'
    | 'webhookBaseUrl'
  > {
  /** Makes the URLs that replies give away. */
  callbacks: Pick<CallbackJournal, 'of' | 'urlOf'>
  deliveries: DeliveryStore
  /** Keeps a sample together with the entry of who sent it. */
  audit: Pick<AuditTrail, 'together'>
  intake: Intake
  rate: RateLimit
  rejections: KeptRejections
  replies: Replies
  /** Learns what became of deliveries. */
  alerts: { rejected(flowId: string, status: number, now: number): void; accepted(flowId: string): void }
  /** Keeps a secret that a sender hands over. */
  handOver(connection: string, field: string, value: string): Promise<HandedOver>
  maxBodyBytes: number
  maxFileBytes: number
  files: FileStore
}
