// Lists the trigger kinds: a new one is a folder here, and its lines in this file and in compile-trigger.ts.
import Type from 'typebox'
import { call } from './call/call.ts'
import { type CallDocument, CallSettings } from './call/schema.ts'
import { schedule } from './schedule/schedule.ts'
import { type ScheduleDocument, ScheduleSettings } from './schedule/schema.ts'
import type { TriggerKind } from './trigger-kind.ts'
import { type WebhookDocument, WebhookSettings } from './webhook/schema.ts'
import { webhook } from './webhook/webhook.ts'

export type TriggerDocument = WebhookDocument | ScheduleDocument | CallDocument

export const triggerKinds: ReadonlyMap<string, TriggerKind> = new Map(
  [webhook, schedule, call].map((kind) => [kind.kind, kind]),
)

export const Trigger = Type.Union([WebhookSettings, ScheduleSettings, CallSettings])
