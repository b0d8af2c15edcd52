import { expect, it } from 'vitest'
import { stepsToText, textToSteps } from './clipboard.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

it('brings steps back as they were', () => {
  const { steps } = sampleFlow()
  expect(textToSteps(stepsToText(steps))).toEqual(steps)
  expect(textToSteps(JSON.stringify(sampleFlow()))).toEqual(steps)
  expect(textToSteps('kind: stop\nid: s')).toEqual([{ id: 's', kind: 'stop' }])
})

it('takes a curl command for a request', () => {
  expect(textToSteps('curl https://x.example')).toEqual([
    { id: 'request', kind: 'http', method: 'GET', url: 'https://x.example' },
  ])
})

it.each(['', 'hello', '- 1', '{}', '{{ x }}', 'name: a', '[]'])('takes nothing of %j', (text) =>
  expect(textToSteps(text)).toBe(null),
)
