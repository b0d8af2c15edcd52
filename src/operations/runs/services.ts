import type { FlowServices } from '../flows/services.ts'
import type { RoomServices } from './room.ts'

export interface RunServices extends FlowServices, Omit<RoomServices, 'queue'> {
  /** Counts the runs that are being stored. */
  intake: { storing(): void; stored(): void; join<T>(stored: Promise<T>): Promise<T> }
}
