// A flow that a delivery starts.
import { isObject } from '../../../base/is-object.ts'
import { handedOver } from '../../senders/check-sender.ts'
import type { TriggerKind } from '../trigger-kind.ts'
import { checkWebhook } from './check.ts'
import { WEBHOOK, WebhookSettings } from './schema.ts'

/** What is known before there is a request. */
const SERVER = ['env', 'config', 'connections']

export const webhook: TriggerKind = {
  kind: WEBHOOK,
  label: 'Webhook',
  settings: WebhookSettings,
  root: 'webhook',
  rootsAt(path, trigger, runRoots) {
    if (path.startsWith('/trigger/labels/')) return ['webhook', 'config', 'flow']
    if (path === '/trigger/auth/signed' || path === '/trigger/auth/timestamp') return ['webhook', ...SERVER]
    if (path.startsWith('/trigger/auth') || path.startsWith('/trigger/sender/')) return SERVER
    if (path.startsWith('/trigger/handshake/')) return ['webhook', ...SERVER, 'flow']
    if (!path.startsWith('/trigger/response/')) return ['webhook', 'env', 'config', 'flow']
    if (path.startsWith('/trigger/response/error')) return [...runRoots, 'error']
    return modeOf(trigger) === 'finished' ? runRoots : ['webhook', 'config', 'run', 'flow', 'callbacks']
  },
  replyUse: (trigger) => (modeOf(trigger) === 'finished' ? 'sent' : 'none'),
  arrivesLater: ({ sender }, senders) => handedOver(sender, senders),
  check: checkWebhook,
}

const modeOf = ({ response }: Record<string, unknown>): unknown => (isObject(response) ? response['mode'] : undefined)
