import type { Senders } from '../senders/schema.ts'
import type { DataShapes } from '../shape/data-shapes.ts'
import type { ConnectionShapes, UsingFlow } from './connection-use.ts'

/** What the templates may refer to outside the document. */
export interface Surroundings {
  connections: ConnectionShapes
  /** The flow that the document is of; none: its connections are for all flows. */
  flow?: UsingFlow
  env: ReadonlySet<string>
  /** The names of the plain variables. */
  config: ReadonlySet<string>
  /** The data that the flow was tested with. */
  data?: DataShapes
  /** The time; what depends on it is checked only if it is given. */
  now?: number
  /** The senders that a trigger may name; its sender is checked only if they are given. */
  senders?: Senders
}
