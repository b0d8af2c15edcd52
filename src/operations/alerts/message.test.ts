import { describe, expect, it } from 'vitest'
import type { AlertRule } from '../../base/alert-rules.ts'
import type { AlertItem } from '../ports/alerts/alerts.ts'
import { messageView } from './message.ts'

const BASE = 'https://flows.example.com'
const linkOf = (rule: AlertRule, item: Partial<AlertItem>) => {
  const items = [{ at: 0, flowId: null, runId: null, note: null, count: 1, ...item }]
  const { link, items: shown } = messageView(
    'msg_1',
    { id: 'alr_1', rule },
    { digest: false, since: 0, count: 1, items },
    new Map(),
    BASE,
  )
  expect(shown[0]!.link).toBe(link)
  return link.replace(BASE, '')
}

describe('the link of an alert', () => {
  it.each<[AlertRule, Partial<AlertItem>, string]>([
    ['first_failure', { flowId: 'flow_1', runId: 'run_1' }, '/failures?flow=flow_1'],
    ['failures', { flowId: 'flow_1', runId: 'run_1' }, '/failures?flow=flow_1'],
    ['recovered', { flowId: 'flow_1', runId: 'run_1' }, '/runs/run_1'],
    ['rejections', { flowId: 'flow_1' }, '/flows/flow_1/inbox?outcome=rejected'],
    ['schedule_late', { flowId: 'flow_1', note: 'late' }, '/flows/flow_1?trigger=true'],
    ['reconnect', { note: 'crm' }, '/connections/crm'],
    ['certificate_expires', { note: 'bank 2027-01-31' }, '/connections/bank'],
    ['queue_age', { note: '90 s' }, '/runs?status=queued'],
    ['storage', { note: 'disk full' }, '/settings/service'],
  ])('of the rule %s leads to what puts it right', (rule, item, path) => {
    expect(linkOf(rule, item)).toBe(path)
  })

  it('of a test, which names nothing, leads to the page of the rule', () => {
    expect(linkOf('failures', {})).toBe('/failures')
    expect(linkOf('reconnect', {})).toBe('/connections')
    expect(linkOf('rejections', {})).toBe('/inbox?outcome=rejected')
  })
})
