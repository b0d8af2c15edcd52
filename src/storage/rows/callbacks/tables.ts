// The tables of callbacks for Kysely.

/** The URL by which a step of a run is answered; see the port engine/ports/callbacks.ts. */
export interface CallbackTable {
  id: string
  run_id: string
  path: string
  step: string
  kind: string
  state: string
  token_digest: string
  sealed: string
  asks: string | null
  unseen: number
  created_at: number
  opened_at: number | null
  expires_at: number | null
  ended_at: number | null
  answer_id: string | null
  answered_by: string | null
}

/** What came in by a callback. */
export interface CallbackAnswerTable {
  id: string
  callback_id: string
  state: string
  digest: string
  sealed: string
  received_at: number
}

export interface CallbackTables {
  callback: CallbackTable
  callback_answer: CallbackAnswerTable
}
