// Says whether more runs can be kept. The runs of paused flows have a limit of their own, so that they crowd out no others.
import type { Queue } from '../ports/queue.ts'

const QUEUE_FULL_RETRY_SECONDS = 2
const PAUSED_FULL_RETRY_SECONDS = 60

export interface RoomServices {
  queue: Pick<Queue, 'size' | 'held'>
  maxQueue: number
  maxPaused: number
}

export interface NoRoom {
  message: string
  retryAfterS: number
}

/** Returns why there is no room for another run; null if there is. `paused`: the run would wait until its flow is resumed. */
export function noRoomFor({ queue, maxQueue, maxPaused }: RoomServices, paused: boolean): NoRoom | null {
  if (paused)
    return queue.held < maxPaused
      ? null
      : {
          message: 'This flow is paused, and too many runs of paused flows are waiting; try again later.',
          retryAfterS: PAUSED_FULL_RETRY_SECONDS,
        }
  return queue.size < maxQueue
    ? null
    : { message: 'Too many runs are waiting; try again shortly.', retryAfterS: QUEUE_FULL_RETRY_SECONDS }
}
