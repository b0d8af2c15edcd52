import type { FlowServices } from '../flows/services.ts'

export interface RunServices extends FlowServices {
  /** Counts the runs that are being stored. */
  intake: { storing(): void; stored(): void }
}
