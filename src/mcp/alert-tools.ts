// The tools for alerts. None of them takes or shows the secret of a webhook.
import Type from 'typebox'
import { AlertRequest } from '../contract/alert-bodies.ts'
import { readTool, type Tool, writeTool } from './tool.ts'

const Alert = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description: 'The id of the alert: alr_…' })
const { target: _target, ...said } = AlertRequest.properties
const [Webhook, Email] = AlertRequest.properties.target.anyOf
const Target = Type.Union([
  Type.Object({ kind: Webhook.properties.kind, url: Webhook.properties.url }, { additionalProperties: false }),
  Email,
])

const withoutSecret = ({ secret: _secret, ...alert }: { secret?: string }) => alert

export const alertTools: readonly Tool[] = [
  readTool({
    name: 'list_alerts',
    needs: ['flows:write'],
    title: 'List alerts',
    description:
      'Lists who is told of what: rule, its numbers, flow or tag, target, when the last message was sent (sentAt) and why the latest was not (problem).',
    request: () => ({ method: 'GET', path: '/alerts' }),
  }),
  writeTool(
    { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    {
      name: 'create_alert',
      needs: ['admin'],
      title: 'Make an alert',
      description:
        'Makes an alert. failures needs count and minutes, rejections count, queue_age seconds; schedule_late may have seconds; other rules take no number. Give flow or tag, or neither for all flows; reconnect, certificate_expires, queue_age and storage take neither. A webhook gets a secret that you are not shown: an owner can set another in the web UI.',
      input: { ...said, target: Target },
      request: (body) => ({ method: 'POST', path: '/alerts', body }),
      show: withoutSecret,
    },
  ),
  writeTool(
    { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    {
      name: 'update_alert',
      needs: ['admin'],
      title: 'Replace an alert',
      description: 'Replaces the whole alert: give what stays as it was too. A webhook keeps its secret.',
      input: { alert: Alert, ...said, target: Target },
      request: ({ alert, ...body }) => ({ method: 'PUT', path: `/alerts/${alert}`, body }),
      show: withoutSecret,
    },
  ),
  writeTool(
    { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    {
      name: 'test_alert',
      needs: ['admin'],
      title: 'Send a test of an alert',
      description: 'Sends a message to the target of an alert now: {sent, message}, where message says why it was not.',
      input: { alert: Alert },
      request: ({ alert }) => ({ method: 'POST', path: `/alerts/${alert}/test` }),
    },
  ),
  writeTool(
    { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    {
      name: 'delete_alert',
      needs: ['admin'],
      title: 'Delete an alert',
      description: 'Deletes an alert and its unsent messages. Do this only if the user asks for it.',
      input: { alert: Alert },
      request: ({ alert }) => ({ method: 'DELETE', path: `/alerts/${alert}` }),
    },
  ),
]
