import { describe, expect, it } from 'vitest'
import { errorOf, evaluate } from '../sample-bindings.testkit.ts'
import { ExpressionError } from '../values/errors.ts'

const match = (text: string, pattern: string) =>
  evaluate('match(webhook.body.text, webhook.body.pattern)', { text, pattern })
const replace = (text: string, pattern: string, by: string) =>
  evaluate('replace(webhook.body.text, webhook.body.pattern, webhook.body.by)', { text, pattern, by })
const refusal = (text: string, pattern: string) => errorOf(ExpressionError, () => match(text, pattern)).message

describe('match', () => {
  it.each([
    ['order 4711 of 2026', '(\\d+) of (\\d{4})', ['4711 of 2026', '4711', '2026']],
    ['nothing', '\\d+', null],
    ['ab', '(a)|(b)', ['a', 'a', null]],
    ['aaa', 'a+?', ['a']],
    ['<b>x</b><b>y</b>', '<b>(.*?)</b>', ['<b>x</b>', 'x']],
    ['<b>x</b><b>y</b>', '<b>(.*)</b>', ['<b>x</b><b>y</b>', 'x</b><b>y']],
    ['one\ntwo', '(?m)^two$', ['two']],
    ['one\ntwo', 'one.two', null],
    ['one\ntwo', '(?s)one.two', ['one\ntwo']],
    ['GRÜẞE', '(?i)grüße', ['GRÜẞE']],
    ['a😀b', 'a(.)b', ['a😀b', '😀']],
    ['x[1]', '\\[([^\\]]+)\\]', ['[1]', '1']],
    ['Ωmega', '^\\p{Script=Greek}\\p{Ll}+$', ['Ωmega']],
    ['the cat sat', '\\bcat\\b', ['cat']],
    ['a-b', '[a\\-z]-', ['a-']],
    ['\u00e9', '\\u00e9', ['é']],
    ['', '^$', ['']],
    ['abcbcd', 'a(?:bc)*d', ['abcbcd']],
    ['aXbX', '(?:(a)|(b))X$', ['bX', null, 'b']],
  ])('%j by %j', (text, pattern, expected) => expect(match(text, pattern)).toEqual(expected))
})

describe('replace', () => {
  it.each([
    ['2026-03-04', '(\\d+)-(\\d+)-(\\d+)', '$3.$2.$1', '04.03.2026'],
    ['a1b22', '\\d', '#', 'a#b##'],
    ['abc', '', '-', '-a-b-c-'],
    ['a😀', '', '-', '-a-😀-'],
    ['x', 'x', '$$ $& $0 $9', '$ x x $9'],
    ['none', 'z', '!', 'none'],
    ['  a  b ', '\\s+', ' ', ' a b '],
  ])('%j by %j with %j', (text, pattern, by, expected) => expect(replace(text, pattern, by)).toBe(expected))
})

it('finds what the engine finds, for random patterns and texts', () => {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const one = <T>(list: readonly T[]): T => list[random(list.length)]!
  const atom = (depth: number): string => {
    const kind = random(depth > 2 ? 6 : 8)
    if (kind < 4) return one(['a', 'b', 'c', '.', '\\d', '\\w', '\\W', '[ab]', '[^a]', '[a-c1]'])
    if (kind === 4) return one(['^', '$', '\\b', '\\B'])
    if (kind === 5) return one(['ab', 'a1', 'é', '😀'])
    return `${one(['(', '(?:'])}${choice(depth + 1)})`
  }
  const piece = (depth: number): string => {
    const inner = atom(depth)
    if (/^(\^|\$|\\b|\\B)$/.test(inner)) return inner
    const repeated = inner.length > 1 && !/^[([\\]/.test(inner) ? `(?:${inner})` : inner
    return repeated + one(['', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{1,}'])
  }
  const choice = (depth: number): string =>
    Array.from({ length: 1 + random(2) }, () =>
      Array.from({ length: 1 + random(3) }, () => piece(depth)).join(''),
    ).join('|')
  for (let i = 0; i < 3_000; i++) {
    const pattern = choice(0)
    const text = Array.from({ length: random(12) }, () => one(['a', 'b', 'c', '1', ' ', 'é', '😀', '\n'])).join('')
    const expected = new RegExp(pattern, 'u').exec(text)
    const found = match(text, pattern) as string[] | null
    // The engine differs in the groups of repetitions, which it forgets with each one.
    expect(`${pattern} in ${text}: ${found?.[0]}`).toBe(`${pattern} in ${text}: ${expected?.[0]}`)
    // It also finds \\B in the middle of a character that is two units long.
    if (!text.includes('😀'))
      expect(replace(text, pattern, '<$&>')).toBe(text.replaceAll(new RegExp(pattern, 'gu'), '<$&>'))
  }
})

describe('what takes too long elsewhere', () => {
  it.each([
    ['(a+)+$', 'a'.repeat(5_000).concat('!')],
    ['(a|a)*$', 'a'.repeat(5_000).concat('!')],
    ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)!!', 'a'.repeat(20_000)],
    ['(x{0,30}){0,30}y', 'x'.repeat(20_000)],
    ['((((a*)*)*)*)*b', 'a'.repeat(20_000)],
    ['\\s+$', ' '.repeat(100_000).concat('x')],
    ['[^]]*]x', ']'.repeat(50_000)],
  ])('%s ends within the budget', (pattern, text) => {
    const start = process.threadCpuUsage()
    for (const search of [() => match(text, pattern), () => replace(text, pattern, '-')])
      try {
        search()
      } catch (error) {
        expect((error as Error).message).toMatch(/takes too many operations/)
      }
    const { user, system } = process.threadCpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(1_000)
  })

  it('does not find what a match looks beyond again and again', () => {
    expect(errorOf(ExpressionError, () => replace('x'.repeat(20_000), 'x(.*y)?', '-')).message).toMatch(
      /takes too many operations/,
    )
  })
})

describe('patterns that are refused', () => {
  it.each([
    ['(', 'The pattern has a ( without its )'],
    [')', 'The pattern has a ) without its ('],
    ['[a', 'The pattern has a [ without its ]'],
    ['*a', 'The pattern has a * with nothing before it to repeat'],
    ['a**', 'The pattern repeats something twice, such as a**'],
    ['(?=a)', 'The pattern looks ahead or behind, which is not possible here'],
    ['(?<!a)b', 'The pattern looks ahead or behind, which is not possible here'],
    ['(?<name>a)', 'The pattern has a group that begins with (?'],
    ['(a)\\1', 'The pattern refers back to a group, which is not possible here'],
    ['a{2,1}', 'The pattern has a repetition whose numbers are the wrong way round: {2,1}'],
    ['a{2000}', 'The pattern repeats something more than 1000 times'],
    ['((a{100}){100}){100}', 'The pattern is too large: its repetitions multiply'],
    ['[z-a]', 'The pattern has a range in [ ] whose ends are the wrong way round'],
    ['\\p{Nope}', 'The pattern names a property of characters that does not exist: Nope'],
    ['\\q', 'The pattern has \\q, which means nothing here'],
    ['\\', 'The pattern ends with a backslash'],
    ['^*', 'The pattern repeats a place, such as ^ or \\b, which has no length'],
    ['('.repeat(60), 'The pattern has more than 50 parentheses inside each other'],
    ['a'.repeat(501), 'The pattern has more than 500 characters'],
  ])('%s', (pattern, message) => expect(refusal('x', pattern).startsWith(message)).toBe(true))
})
