import type { RunServices } from '../runs/services.ts'

export type ScheduleServices = RunServices
