import { describe, expect, it } from 'vitest'
import { validate } from '../../../src/flow/validate/validate.ts'
import { stepKinds } from '../../../src/steps/index.ts'
import { issueWords } from './issue-words.ts'

const surroundings = { connections: new Map(), env: new Set<string>(), config: new Set<string>() }
const wordsOf = (step: object) =>
  validate({ name: 'x', trigger: { kind: 'webhook' }, steps: [{ id: 'a', ...step }] }, stepKinds, surroundings).map(
    issueWords,
  )

describe('problems in the words of the forms', () => {
  it.each([
    [{ kind: 'http', method: 'GET', url: '' }, 'Enter a URL'],
    [{ kind: 'http', method: 'GET' }, 'Enter a URL'],
    [{ kind: 'store', op: 'get', key: '' }, 'Enter a key'],
    [{ kind: 'branch', cases: [{ when: '', steps: [] }] }, 'Enter a condition'],
    [{ kind: 'fail', message: '' }, 'Enter a message'],
    [{ kind: 'http', method: 'GET', url: 'https://a.example', auth: { kind: 'bearer', token: '' } }, 'Enter a token'],
    [
      { kind: 'http', method: 'GET', url: 'https://a.example', timeout: 900 },
      'Timeout is 900; it must be more than 0 and at most 300',
    ],
    [{ kind: 'wait', approval: { title: '' } }, 'Enter a question'],
    [{ kind: 'wait', approval: { title: 'x', answers: ['', 'b'] } }, 'Enter an answer, without spaces around it'],
    [
      { kind: 'wait', approval: { title: 'x', fields: [{ name: '1' }] } },
      'Enter a name: a letter, then letters, digits or _',
    ],
    [{ kind: 'wait', callback: { timeout: 0 } }, 'Enter a time from 1 second to 365 days'],
    [{ kind: 'wait', callback: { auth: { kind: 'signature', scheme: 'github', secret: '' } } }, 'Enter a secret'],
  ])('%j: %s', (step, words) => {
    expect(wordsOf(step)).toContain(words)
  })

  it('says what there is to choose from', () => {
    expect(wordsOf({ kind: 'http', method: '', url: 'https://a.example' })[0]).toMatch(/^Method .*one of GET, POST/)
  })

  it('leaves a message alone that does not begin with the name of a setting', () => {
    const message = 'The trigger answers at once.'
    expect(issueWords({ path: '/steps/0/url', code: 'x', message })).toBe(message)
  })
})
