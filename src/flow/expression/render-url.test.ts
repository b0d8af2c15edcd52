import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderUrl } from './render-url.ts'
import { errorOf, sampleBindings } from './sample-bindings.testkit.ts'
import { ExpressionError } from './values/errors.ts'

function url(source: string, x?: unknown, y?: unknown): string {
  return renderUrl(parseTemplate(source), sampleBindings({ vars: { x, y } }))
}
function refusal(source: string, x?: unknown, y?: unknown): ExpressionError {
  return errorOf(ExpressionError, () => url(source, x, y))
}

describe('after the origin', () => {
  it.each([
    ['https://a.com/{{ vars.x }}', 'a b/c?d#e&f', 'https://a.com/a%20b%2Fc%3Fd%23e%26f'],
    ['https://a.com/{{ vars.x }}/y', '../..', 'https://a.com/..%2F../y'],
    ['https://a.com/?q={{ vars.x }}', 'a&b=c', 'https://a.com/?q=a%26b%3Dc'],
    ['https://a.com?q={{ vars.x }}', '../', 'https://a.com?q=..%2F'],
    ['https://a.com?q={{ vars.x }}', '..', 'https://a.com?q=..'],
    ['https://a.com/p?q={{ vars.x }}', '.', 'https://a.com/p?q=.'],
    ['https://a.com#{{ vars.x }}', '#', 'https://a.com#%23'],
    ['https://a.com/{{ vars.x }}', 42, 'https://a.com/42'],
    ['https://a.com/{{ vars.x }}', true, 'https://a.com/true'],
    ['https://a.com/{{ vars.x }}', { a: [1] }, 'https://a.com/%7B%22a%22%3A%5B1%5D%7D'],
    ['https://a.com/{{ vars.x }}', '%2e%2e', 'https://a.com/%252e%252e'],
    ['https://a.com/{{ vars.x }}', 'ü€😀', 'https://a.com/%C3%BC%E2%82%AC%F0%9F%98%80'],
    ['https://a.com/v{{ vars.x }}', '..', 'https://a.com/v..'],
    ['https://a.com/{{ vars.x }}', '...', 'https://a.com/...'],
    ['https://a.com/../{{ vars.x }}', 'b', 'https://a.com/../b'],
    ['https://a.com:8080/{{ vars.x }}', ':', 'https://a.com:8080/%3A'],
    ['https://a.com\\{{ vars.x }}', '/', 'https://a.com\\%2F'],
  ])('%s with %j is one encoded component', (source, x, expected) => {
    expect(url(source, x)).toBe(expected)
  })

  it.each([
    ['https://a.com/b/{{ vars.x }}', '..'],
    ['https://a.com/b/{{ vars.x }}', '.'],
    ['https://a.com/b/{{ vars.x }}/c', '..'],
    ['https://a.com/b/{{ vars.x }}?c', '..'],
    ['https://a.com/b/{{ vars.x }}#c', '..'],
    ['https://a.com/b/{{ vars.x }}\\c', '..'],
    ['https://a.com/b/.{{ vars.x }}/c', '.'],
    ['https://a.com/b/{{ vars.x }}./c', '.'],
    ['https://a.com/b/%2e{{ vars.x }}/c', '.'],
    ['https://a.com/b/{{ vars.x }}%2E/c', '.'],
    ['https://a.com/b/.{{ vars.x }}./c', ''],
    ['https://a.com/b/{{ vars.x }}{{ vars.y }}/c', '.', '.'],
    ['{{ vars.y }}/{{ vars.x }}', '..', 'https://a.com'],
    ['{{ vars.y }}{{ vars.x }}', '..', 'https://a.com/'],
  ])('%s with %j is no way to another path', (source, x, y?) => {
    const error = refusal(source, x, y)
    expect(error.code).toBe('invalid_url')
    expect(error.message).toContain('vars.')
  })

  it('refuses half a character instead of crashing', () => {
    expect(refusal('https://a.com/{{ vars.x }}', '\ud800').code).toBe('invalid_url')
  })
})

describe('in the host', () => {
  it.each([
    ['https://{{ vars.x }}.example.com/a', 'shop-1', 'https://shop-1.example.com/a'],
    ['https://{{ vars.x }}', 'a.example.com', 'https://a.example.com'],
    ['https://a.com:{{ vars.x }}/b', 8080, 'https://a.com:8080/b'],
    ['http{{ vars.x }}://a.com/', 's', 'https://a.com/'],
    ['http{{ vars.x }}://a.com/', '', 'http://a.com/'],
    ['{{ vars.x }}://{{ vars.y }}/', 'https', 'https://a.com/', 'a.com'],
  ])('%s takes %j', (source, x, expected, y?) => {
    expect(url(source, x, y)).toBe(expected)
  })

  it.each([
    ['https://{{ vars.x }}.example.com/', 'evil.com/'],
    ['https://{{ vars.x }}.example.com/', 'evil.com#'],
    ['https://{{ vars.x }}.example.com/', 'evil.com?'],
    ['https://{{ vars.x }}.example.com/', 'evil.com\\'],
    ['https://{{ vars.x }}.example.com/', 'a@evil.com'],
    ['https://{{ vars.x }}.example.com/', 'a:1'],
    ['https://{{ vars.x }}.example.com/', '%61'],
    ['https://{{ vars.x }}.example.com/', 'ü'],
    ['https://{{ vars.x }}/a', ''],
    ['https://example.com{{ vars.x }}', '@evil.com'],
    ['https://example.com{{ vars.x }}', '/path'],
    ['https://example.com:{{ vars.x }}/', '80.evil.com'],
    ['https://example.com:{{ vars.x }}/', ''],
    ['https://example.com:80{{ vars.x }}/', 'a'],
    ['https://{{ vars.x }}/', { a: 1 }],
    ['{{ vars.y }}{{ vars.x }}', '@evil.com', 'https://example.com'],
    ['{{ vars.y }}{{ vars.x }}', 'https://evil.com', ''],
    ['/path/{{ vars.x }}', 'a b'],
    ['https:{{ vars.x }}', '//evil.com'],
  ])('%s refuses %j', (source, x, y?) => {
    expect(refusal(source, x, y).code).toBe('invalid_url')
  })
})

describe('at the start', () => {
  it('inserts the value as it is', () => {
    expect(url('{{ vars.x }}', 'https://a.com/b?c=d#e')).toBe('https://a.com/b?c=d#e')
    expect(url('{{ vars.x }}/v1', 'https://a.com')).toBe('https://a.com/v1')
  })

  it('encodes what follows once the origin is complete', () => {
    expect(url('{{ vars.x }}{{ vars.y }}', 'https://a.com/', 'b/c')).toBe('https://a.com/b%2Fc')
    expect(url('{{ vars.x }}/v1/{{ vars.y }}', 'https://a.com', 'b/c')).toBe('https://a.com/v1/b%2Fc')
    expect(url('{{ vars.x }}{{ vars.y }}', 'https://a.com?q=', '&')).toBe('https://a.com?q=%26')
  })
})

describe('raw(…)', () => {
  it('inserts verbatim anywhere', () => {
    expect(url('https://a.com/{{ raw(vars.x) }}', 'b/../c?d=e')).toBe('https://a.com/b/../c?d=e')
    expect(url('https://{{ raw(vars.x) }}/', 'u@a.com:80')).toBe('https://u@a.com:80/')
  })

  it('is nothing special inside a larger expression', () => {
    expect(url("https://a.com/{{ raw(vars.x) + '' }}", 'b/c')).toBe('https://a.com/b%2Fc')
  })
})

describe('CR, LF and NUL', () => {
  it.each([
    ['https://a.com/{{ vars.x }}', 'a\rb'],
    ['https://a.com/{{ vars.x }}', 'a\nb'],
    ['https://a.com/{{ vars.x }}', 'a\0b'],
    ['https://{{ vars.x }}/', 'a\n'],
    ['{{ vars.x }}', 'https://a.com/\r\nX: y'],
    ['https://a.com/{{ raw(vars.x) }}', '\r\nX: y'],
    ['https://a.com/\n', ''],
  ])('are refused: %j with %j', (source, x) => {
    expect(refusal(source, x).code).toBe('invalid_url')
  })
})

it('names a missing value as everywhere else', () => {
  expect(refusal('https://a.com/{{ vars.z }}').code).toBe('missing_value')
})

it('never quotes the value in an error, since it may be a secret', () => {
  expect(refusal('https://{{ vars.x }}/', 'hunter2/').message).not.toContain('hunter2')
})
