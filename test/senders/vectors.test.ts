// Holds signatures that vendors made themselves, once, against the files of their senders.
import { createRequire } from 'node:module'
import { sign } from '@octokit/webhooks-methods'
import { describe, expect, it } from 'vitest'
import { letsIn, TARGET } from '../../src/operations/deliveries/sender-request.testkit.ts'
import { senderNamed } from './sender-named.testkit.ts'
import { VECTORS, type Vector } from './vectors.testkit.ts'

const held = ({ sender, fields, headers, body, atSeconds, query = '' }: Vector) =>
  letsIn(senderNamed(sender), fields, {
    rawHeaders: headers.flat(),
    body,
    target: TARGET + query,
    nowMs: atSeconds === undefined ? Date.now() : atSeconds * 1000,
  })

describe('a signature that the vendor made', () => {
  it.each(VECTORS.map((vector) => [vector.sender, vector.by, vector] as const))('%s: %s', (_, __, vector) => {
    expect(held(vector)).toBe(true)
    expect(held({ ...vector, body: vector.body.replace(vector.signedText ?? /[a-z]/, 'X') })).toMatch(
      /^Authentication failed/,
    )
    if (vector.atSeconds === undefined) return
    const late = { ...vector, atSeconds: vector.atSeconds + 700 }
    expect(held(late)).toMatch(/the timestamp is more than \d+ s away from now/)
  })

  it('lets in every example event of GitHub, as its package signs it', async () => {
    const examples: { name: string; examples: unknown[] }[] = createRequire(import.meta.url)(
      '@octokit/webhooks-examples/api.github.com/index.json',
    )
    const github = senderNamed('github')
    for (const { name, examples: bodies } of examples)
      for (const example of bodies) {
        const body = JSON.stringify(example)
        const rawHeaders = ['X-GitHub-Event', name, 'X-Hub-Signature-256', await sign('a-secret', body)]
        expect(letsIn(github, { secret: 'a-secret' }, { rawHeaders, body }), name).toBe(true)
      }
    expect(examples.length).toBeGreaterThan(40)
  })
})
