import type { DeliveryServices } from '../deliveries/services.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { CallbackStore } from '../ports/callbacks/callbacks.ts'
import type { Turns } from './turns.ts'

export interface CallbackServices extends DeliveryServices {
  audit: AuditTrail
  callbacks: CallbackStore
  turns: Turns
  baseUrl: string
}
