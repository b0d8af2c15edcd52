// Turns a valid trigger into what starts the runs of its flow.
import { NO_SENDERS, type Senders } from '../senders/schema.ts'
import { type CompiledCall, compileCall } from './call/compile.ts'
import { CALL } from './call/schema.ts'
import type { TriggerDocument } from './index.ts'
import { type CompiledSchedule, compileSchedule } from './schedule/compile.ts'
import { SCHEDULE } from './schedule/schema.ts'
import { type CompiledWebhook, compileWebhook } from './webhook/compile.ts'
import { WEBHOOK } from './webhook/schema.ts'

export type CompiledTrigger = CompiledWebhook | CompiledSchedule | CompiledCall

export function compileTrigger(document: TriggerDocument, senders: Senders = NO_SENDERS): CompiledTrigger {
  switch (document.kind) {
    case WEBHOOK:
      return compileWebhook(document, senders)
    case SCHEDULE:
      return compileSchedule(document)
    case CALL:
      return compileCall(document)
  }
}
