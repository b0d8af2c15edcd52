import type { Basics } from '../ports/basics.ts'
import type { Events } from './events.ts'

export interface EventServices extends Basics {
  events: Events
}
