import { describe, expect, it } from 'vitest'
import { allows, allowsMore, parseHostRule } from './host-rules.ts'

const allowed = (rule: string, url: string) => allows([parseHostRule(rule)!], new URL(url))

describe('a host rule', () => {
  it.each([
    ['api.example.com', 'https://api.example.com/x'],
    ['API.Example.com', 'https://api.example.COM:8443/'],
    ['api.example.com', 'https://api.example.com./'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['api.example.com:8443', 'https://api.example.com:8443/'],
    ['api.example.com:443', 'https://api.example.com/'],
    ['api.example.com:80', 'http://api.example.com/'],
    ['127.0.0.1', 'http://127.1:99/'],
    ['[::1]:80', 'http://[0:0:0:0:0:0:0:1]/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
  ])('%s allows %s', (rule, url) => expect(allowed(rule, url)).toBe(true))

  it.each([
    ['api.example.com', 'https://example.com/'],
    ['api.example.com', 'https://api.example.com.evil.com/'],
    ['example.com', 'https://notexample.com/'],
    ['example.com', 'https://api.example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://evilexample.com/'],
    ['api.example.com:443', 'https://api.example.com:8443/'],
    ['api.example.com:443', 'http://api.example.com/'],
  ])('%s does not allow %s', (rule, url) => expect(allowed(rule, url)).toBe(false))

  it.each([
    '',
    'https://api.example.com',
    'api.example.com/path',
    '*',
    'a.*.example.com',
    'api.example.com:0',
    'api.example.com:99999',
    'user@api.example.com',
    'two hosts',
    '::1',
    '*.[::1]',
  ])('cannot be %j', (text) => expect(parseHostRule(text)).toBeNull())
})

describe('allowsMore', () => {
  const rules = (list: string) => list.split(' ').flatMap((host) => parseHostRule(host) ?? [])
  it.each([
    ['a.example.com', 'a.example.com'],
    ['a.example.com', 'A.EXAMPLE.com.'],
    ['a.example.com', 'a.example.com:8443'],
    ['*.example.com', 'a.example.com *.b.example.com:1 *.example.com'],
    ['', 'a.example.com'],
  ])('%s was not less than %s', (before, after) => expect(allowsMore(rules(after), rules(before))).toBe(false))
  it.each([
    ['a.example.com', ''],
    ['a.example.com', 'a.example.com b.example.com'],
    ['a.example.com', '*.a.example.com'],
    ['a.example.com:443', 'a.example.com'],
    ['*.example.com', 'example.com'],
    ['*.example.com', 'evilexample.com'],
  ])('%s was less than %s', (before, after) => expect(allowsMore(rules(after), rules(before))).toBe(true))
})
