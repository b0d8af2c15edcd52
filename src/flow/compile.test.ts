import { describe, expect, it } from 'vitest'
import { stepKinds } from '../steps/index.ts'
import { compileStep } from './compile.ts'
import { compileFlow } from './compile-flow.ts'
import type { Bindings } from './expression/values/bindings.ts'

const bindings = (roots: object): Bindings => ({
  roots: Object.assign(Object.create(null), roots),
  now: '2026-01-01T00:00:00.000Z',
  uuid: 'u',
  sha256: () => 'h',
  hmacSha256: () => 'h',
  hmacSha512: () => 'h5',
})

describe('compileStep', () => {
  it('fills in defaults and resolves templates, each in its own way', () => {
    const step = compileStep(
      {
        id: 'a',
        kind: 'http',
        method: 'POST',
        url: 'https://x.test/{{ webhook.body.path }}',
        headers: [{ name: 'X-Count', value: '{{ webhook.body.count }}' }],
        query: [{ name: 'n', value: 7 }],
        body: {
          kind: 'json',
          value: {
            n: '{{ webhook.body.count }}',
            text: 'n={{ webhook.body.count }}',
            deep: [{ a: '{{ webhook.body }}' }],
          },
        },
        timeout: '{{ webhook.body.count }}',
      },
      stepKinds,
    )
    const body = { path: 'a/b c', count: 3 }
    expect(JSON.parse(JSON.stringify(step.settings(bindings({ webhook: { body } }))))).toEqual({
      method: 'POST',
      url: 'https://x.test/a%2Fb%20c',
      headers: [{ name: 'X-Count', value: '3' }],
      query: [{ name: 'n', value: '7' }],
      body: { kind: 'json', value: { n: 3, text: 'n=3', deep: [{ a: body }] } },
      timeout: 3,
      followRedirects: true,
      cookies: false,
      failOnError: true,
      idempotencyKey: false,
      onInterrupt: 'resend',
    })
  })

  it('holds a whole-value template to the type of its setting', () => {
    const step = compileStep(
      { id: 'a', kind: 'http', method: 'GET', url: 'https://x.test', timeout: '{{ webhook.t }}' },
      stepKinds,
    )
    expect(() => step.settings(bindings({ webhook: { t: 'soon' } }))).toThrow('does not fit')
    expect(() => step.settings(bindings({ webhook: { t: 301 } }))).toThrow('at most 300')
    expect(step.settings(bindings({ webhook: { t: 300 } }))['timeout']).toBe(300)
  })

  it('fills in the retry policy', () => {
    const step = compileStep(
      { id: 'a', kind: 'fail', message: 'x', retry: { attempts: 5, on: [503, 'network'] } },
      stepKinds,
    )
    expect({ ...step.retry }).toEqual({ attempts: 5, delay: 1, backoff: 2, maxDelay: 60, on: ['503', 'network'] })
  })
})

describe('compileFlow', () => {
  it('gives a trigger its defaults', () => {
    const { trigger } = compileFlow({ name: 'x', trigger: { kind: 'webhook' }, steps: [] }, stepKinds)
    expect(trigger).toMatchObject({
      auth: { kind: 'none' },
      mode: 'immediate',
      timeoutMs: 30_000,
      dedupe: null,
      when: null,
      accept: ['application/json'],
      ipRanges: [],
      concurrency: null,
    })
  })
})
