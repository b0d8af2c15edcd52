// What processes that share a database tell one another.

/** What one process tells the others. */
export type Signal =
  /** The flow's webhook, version or draft has changed. */
  | { topic: 'flow'; flowId: string }
  | { topic: 'flow_deleted'; flowId: string }
  | { topic: 'cancelled'; runId: string }
  | { topic: 'connections' }
  /** Whoever had come in by this session or token, or as this user, has to show again who they are. */
  | { topic: 'access_ended'; actorId: string }
  /** Somebody watches events in the process that says so. */
  | { topic: 'watching' }
  | { topic: 'news'; news: News[] }

/** That a run has come further, or that something has arrived: what there is to know of it stands in the database. */
export interface News {
  type: 'run' | 'delivery' | 'sample'
  /** An accepted delivery goes by the id of its run. */
  id: string
  flowId: string
}

/** The way to the other processes; where there is only one, it leads nowhere. */
export interface Signals {
  /** To all others, in order, as soon as may be. */
  send(signal: Signal): void
}
