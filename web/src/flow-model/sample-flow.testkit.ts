// A flow with every shape in it, for the tests of this folder.
import type { EditedFlow } from './flow-tree.ts'

export function sampleFlow(): EditedFlow {
  return {
    name: 'Orders',
    trigger: { kind: 'webhook', dedupe: { key: '{{ webhook.body.id }}' } },
    steps: [
      { id: 'order', kind: 'http', method: 'GET', url: 'https://api.example.com/orders/{{ webhook.body.id }}' },
      {
        id: 'big',
        kind: 'branch',
        cases: [
          {
            name: 'Large',
            when: '{{ steps.order.body.total > 100 }}',
            steps: [
              { id: 'tell', kind: 'http', method: 'POST', url: '{{ env.ALERT_URL }}' },
              { id: 'pause', kind: 'wait', seconds: 5 },
            ],
          },
          { when: '{{ steps.order.body.total < 0 }}', steps: [{ id: 'wrong', kind: 'fail', message: 'below zero' }] },
        ],
      },
      {
        id: 'lines',
        kind: 'loop',
        each: '{{ steps.order.body.lines }}',
        steps: [
          { id: 'line', kind: 'http', method: 'PUT', url: 'https://api.example.com/lines/{{ loop.item.id }}' },
          {
            id: 'parts',
            kind: 'loop',
            while: '{{ loop.index < loops.lines.item.parts }}',
            steps: [{ id: 'part', kind: 'set', vars: { part: '{{ loops.lines.item.id }}-{{ loop.index }}' } }],
          },
        ],
        collect: '{{ steps.line.body.id }}',
      },
      { id: 'done', kind: 'set', vars: { count: '{{ steps.lines.count }}', part: 1 } },
    ],
  }
}
