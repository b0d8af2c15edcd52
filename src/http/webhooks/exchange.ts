// A request to a webhook or a callback, and its reply: as node:http reads it, or a plain one.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyHold } from '../../operations/deliveries/body-budget.ts'
import type { PlainReply } from './plain/plain-reply.ts'
import type { PlainRequest } from './plain/read-request.ts'

export class PlainExchange {
  readonly request: PlainRequest
  readonly response: PlainReply

  constructor(request: PlainRequest, response: PlainReply) {
    this.request = request
    this.response = response
  }

  /** Whoever waits for a reply must not keep the bytes in memory. */
  letBodyGo(): void {
    this.request.body = NOTHING
  }
}

const NOTHING = Buffer.alloc(0)

/** A request that node:http reads. */
export interface Streamed {
  request: IncomingMessage
  response: ServerResponse
}

export type Exchange = PlainExchange | Streamed

/** A request on its way through the phases. */
export interface Visit<Kind extends Exchange = Exchange> {
  exchange: Kind
  requestId: string
  /** Of the sender, behind proxies too. */
  ip: string
  /** More come in than can be stored. */
  crowdedOut: boolean
  /** Counts the bytes of a body that may be large. */
  hold: BodyHold | null
}
