import type { Instance } from '../ports/instance.ts'
import type { RunServices } from '../runs/services.ts'

export interface StatsServices extends RunServices {
  instance: Instance
}
