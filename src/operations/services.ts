// The services of all operations together; app/ builds them once.
import type { AccessServices } from './access/services.ts'
import type { AlertServices } from './alerts/services.ts'
import type { CallbackServices } from './callbacks/services.ts'
import type { BodyBudget } from './deliveries/body-budget.ts'
import type { DeliveryServices } from './deliveries/services.ts'
import type { FailureServices } from './failures/services.ts'
import type { RunServices } from './runs/services.ts'
import type { StatsServices } from './stats/services.ts'
import type { LoopWatch } from './upkeep/loop-watch.ts'
import type { UpkeepServices } from './upkeep/services.ts'

export type Services = AccessServices &
  RunServices &
  AlertServices &
  FailureServices &
  DeliveryServices &
  CallbackServices &
  UpkeepServices &
  StatsServices & {
    bodies: BodyBudget
    watch: LoopWatch
  }
