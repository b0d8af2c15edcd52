// What the API answers, as types.
import type { Static } from 'typebox'
import type {
  FlowBody,
  FlowSourceBody,
  InboxEntryBody,
  PublishedBody,
  RunBody,
  RunSummaryBody,
  StepBody,
  StepKindBody,
  ValidationBody,
  WebhookReplyBody,
} from '../../contract/bodies.ts'
import type { FailureBody, ReplayPreviewBody, ReplaysBody } from '../../contract/failure-bodies.ts'
import type { SearchBody } from '../../contract/search-bodies.ts'
import type { SenderBody, SentSampleBody } from '../../contract/senders/sender-bodies.ts'

export type Flow = Static<typeof FlowBody>
export type Validation = Static<typeof ValidationBody>
export type Published = Static<typeof PublishedBody>
export type FlowSource = Static<typeof FlowSourceBody>
export type StepKind = Static<typeof StepKindBody>
export type Run = Static<typeof RunBody>
export type RunSummary = Static<typeof RunSummaryBody>
export type Delivery = Static<typeof InboxEntryBody>
export type Found = Static<typeof SearchBody>
export type Sender = Static<typeof SenderBody>
export type SentSample = Static<typeof SentSampleBody>
export type Step = Static<typeof StepBody>
export type WebhookReply = Static<typeof WebhookReplyBody>
export type Failure = Static<typeof FailureBody>
export type ReplayJob = Static<typeof ReplaysBody>
export type ReplayPreview = Static<typeof ReplayPreviewBody>
