// What ends a walk without being a step's failure; thrown through the steps that are open.

export class WalkSignal extends Error {}

/** A stop step: the run has succeeded. */
export class Stopped extends WalkSignal {}

/** Another process, or a cancellation, has taken the run: nothing more may be written. */
export class ClaimLost extends WalkSignal {}

/** The process is stopping: what is under way stays in the journal as it is, and is taken up at the next start. */
export class Interrupted extends WalkSignal {}

/** Nothing can go on before that time. */
export class Parked extends WalkSignal {
  readonly resumeAt: number
  constructor(resumeAt: number) {
    super('parked')
    this.resumeAt = resumeAt
  }
}
