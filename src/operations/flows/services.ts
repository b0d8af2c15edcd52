import type { Engine } from '../../engine/engine.ts'
import type { EnginePorts } from '../../engine/ports/engine-ports.ts'
import type { Surroundings } from '../../flow/validate/validate.ts'
import type { ConnectionServices } from '../connections/services.ts'
import type { Callers } from '../ports/callers.ts'
import type { SampleStore } from '../ports/deliveries.ts'
import type { FlowSourceStore } from '../ports/flows.ts'
import type { Queue } from '../ports/queue.ts'
import type { RunStore } from '../ports/runs.ts'
import type { StatsStore } from '../ports/stats.ts'
import type { PublishedFlows } from './published-flows.ts'

export interface FlowServices extends ConnectionServices {
  flowSources: FlowSourceStore
  published: PublishedFlows
  stats: StatsStore
  samples: SampleStore
  runs: RunStore
  queue: Queue
  engine: Engine
  enginePorts: EnginePorts
  replies: Callers
  surroundings(): Surroundings
  webhookBaseUrl: string
}
