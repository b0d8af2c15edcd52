// Signals that end a walk without a step's failure. They are thrown through the open steps.

export class WalkSignal extends Error {}

/** Thrown by a stop step: the run has succeeded. */
export class Stopped extends WalkSignal {}

/** Thrown if another process or a cancellation has taken the run: nothing more may be written. */
export class ClaimLost extends WalkSignal {}

/** Thrown when the process stops. The journal keeps the progress of the run for the next start. */
export class Interrupted extends WalkSignal {}

/** Thrown in a branch of a parallel step whose result no longer counts. */
export class BranchCancelled extends WalkSignal {}

/** Thrown if no step can continue before `resumeAt`, or, if that is null, before another run has ended. */
export class Parked extends WalkSignal {
  readonly resumeAt: number | null
  /** Whether it may go on before: something else than the time may happen. */
  readonly looks: boolean
  constructor(resumeAt: number | null, looks = resumeAt === null) {
    super('parked')
    this.resumeAt = resumeAt
    this.looks = looks
  }
}
