import type { Engine } from '../../engine/engine.ts'
import type { EnginePorts } from '../../engine/ports/engine-ports.ts'
import type { FileStore } from '../../engine/ports/files.ts'
import type { Outcome } from '../../engine/step-kind.ts'
import type { Surroundings } from '../../flow/validate/surroundings.ts'
import type { ConnectionServices } from '../connections/services.ts'
import type { Callers } from '../ports/callers.ts'
import type { SampleStore } from '../ports/deliveries.ts'
import type { FlowSourceStore } from '../ports/flows.ts'
import type { Queue } from '../ports/queue.ts'
import type { RunStore } from '../ports/runs.ts'
import type { ScheduleStore } from '../ports/schedules.ts'
import type { StatsStore } from '../ports/stats.ts'
import type { FailureFlow } from './calls/failure-flow.ts'
import type { PublishedFlows } from './published-flows.ts'

/** A call that a step makes in its test. */
export interface TestedCall {
  runId: string
  /** The path of the step. */
  path: string
  call: Outcome & { type: 'call' }
}

export interface FlowServices extends ConnectionServices {
  flowSources: FlowSourceStore
  published: PublishedFlows
  stats: StatsStore
  failureFlow: FailureFlow
  samples: SampleStore
  files: FileStore
  runs: RunStore
  schedules: ScheduleStore
  /** Looks at the schedules at once, because one has changed. */
  scheduleChanged(): void
  queue: Queue
  /** Runs the flow that a tested step calls, and returns what comes of the step. */
  callInTest(tested: TestedCall): Promise<Outcome>
  engine: Engine
  enginePorts: EnginePorts
  replies: Callers
  surroundings(): Surroundings
  webhookBaseUrl: string
}
