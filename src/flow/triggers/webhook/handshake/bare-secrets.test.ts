import { expect, it } from 'vitest'
import { hasBareSecret } from './bare-secrets.ts'

const bare = (source: string) => hasBareSecret(source, (root) => root === 'env' || root === 'connections')

it.each([
  '{{ env.A }}',
  'x{{ env }}',
  "{{ env['A'] }}",
  '{{ env?.A }}',
  '{{ (env).A }}',
  '{{ env[webhook.query.name] }}',
  '{{ `${env.A}` }}',
  '{{ JSON.stringify(connections) }}',
  '{{ [env.A].map((x) => sha256(x)) }}',
  '{{ sha256(env.A) + connections.a.b }}',
  '{{ hmacSha256(webhook.query.a, env.A) == env.B }}',
  '{{ webhook.query[env.A] }}',
  '{{ { a: env.A } }}',
  '{{ { [env.A]: 1 } }}',
  "{{ env.A.startsWith('a') ? 1 : 2 }}",
  '{{ base64(env.A) }}',
])('finds what %s gives away', (source) => expect(bare(source)).toBe(true))

it.each([
  'env.A',
  '{{ webhook.query.env }}',
  '{{ { env: 1 } }}',
  '{{ sha256(env.A) }}',
  '{{ hmacSha512(webhook.query.a, connections.a.b).slice(0, 8) }}',
  '{{ base64(hmacSha256(`${webhook.query.a}`, [env.A].flat()[0])) }}',
  '{{ broken',
])('lets %s be', (source) => expect(bare(source)).toBe(false))
