import type { FlowServices } from '../flows/services.ts'

export interface RunServices extends FlowServices {
  /** Counts what is being stored. */
  intake: { storing(): void; stored(): void }
}
