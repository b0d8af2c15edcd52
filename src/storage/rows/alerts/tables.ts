// The tables of alerts for Kysely.

export interface AlertTable {
  id: string
  rule: string
  limits: string
  flow_id: string | null
  tag: string | null
  target: string
  /** The secret of the target. */
  sealed: string | null
  quiet_until: number
  created_at: number
  sent_at: number | null
  problem: string | null
}

/** The end of a run that an alert may be about, until it is looked at. */
export interface AlertEventTable {
  id: string
  kind: string
  flow_id: string
  run_id: string | null
  at: number
  code: string | null
}

export interface AlertStateTable {
  subject: string
  value: string
}

export interface AlertMessageTable {
  id: string
  alert_id: string
  body: string
  attempts: number
  created_at: number
  due_at: number
}
