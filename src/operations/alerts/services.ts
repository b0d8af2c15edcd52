import type { AlertStore, Mailer } from '../ports/alerts/alerts.ts'
import type { Instance } from '../ports/instance.ts'
import type { RunServices } from '../runs/services.ts'
import type { LiveAlerts } from './live-alerts.ts'

export interface AlertServices extends RunServices {
  alerts: LiveAlerts
  alertStore: AlertStore
  alertWindowMs: number
  mailer: Mailer | null
  instance: Instance
}
