import type { DeliveryServices } from '../deliveries/services.ts'
import type { CallbackStore } from '../ports/callbacks/callbacks.ts'
import type { RunServices } from '../runs/services.ts'
import type { Turns } from './turns.ts'

export interface CallbackServices extends DeliveryServices, Pick<RunServices, 'audit'> {
  callbacks: CallbackStore
  turns: Turns
  baseUrl: string
}
