// A flow that a delivery starts.
import { isObject } from '../../../base/is-object.ts'
import type { TriggerKind } from '../trigger-kind.ts'
import { checkWebhook } from './check.ts'
import { WEBHOOK, WebhookSettings } from './schema.ts'

export const webhook: TriggerKind = {
  kind: WEBHOOK,
  label: 'Webhook',
  settings: WebhookSettings,
  root: 'webhook',
  rootsAt(path, trigger, runRoots) {
    if (path.startsWith('/trigger/labels/')) return ['webhook', 'flow']
    if (path.startsWith('/trigger/auth')) return ['env', 'connections']
    if (!path.startsWith('/trigger/response/')) return ['webhook', 'env', 'flow']
    if (path.startsWith('/trigger/response/error')) return [...runRoots, 'error']
    return modeOf(trigger) === 'finished' ? runRoots : ['webhook', 'run', 'flow', 'callbacks']
  },
  replyUse: (trigger) => (modeOf(trigger) === 'finished' ? 'sent' : 'none'),
  check: checkWebhook,
}

const modeOf = ({ response }: Record<string, unknown>): unknown => (isObject(response) ? response['mode'] : undefined)
