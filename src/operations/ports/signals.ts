// The port to the signals between processes that share a database.

/** A message from one process to the others. */
export type Signal =
  /** The flow's webhook, version or draft has changed. */
  | { topic: 'flow'; flowId: string }
  | { topic: 'flow_deleted'; flowId: string }
  | { topic: 'cancelled'; runIds: string[] }
  | { topic: 'connections' }
  /** A setting of the instance has changed. */
  | { topic: 'settings' }
  /** A run of a flow failed for which an alert waits: its next success is told of. */
  | { topic: 'failing'; flowId: string }
  /** Anyone connected by this session or token, or as this user, has to authenticate again. */
  | { topic: 'access_ended'; actorId: string }
  /** The process that sends this has clients that watch events. */
  | { topic: 'watching' }
  | { topic: 'news'; news: News[] }

/** Says that a run has progressed or that something has arrived. The details are in the database. */
export interface News {
  type: 'run' | 'delivery' | 'sample'
  /** The id; an accepted delivery has the id of its run. */
  id: string
  flowId: string
}

/** Sends signals to the other processes; does nothing if there is only one. */
export interface Signals {
  /** Sends to all others, in order, as soon as possible. */
  send(signal: Signal): void
}
