import { describe, expect, it } from 'vitest'
import { parseTraceContext, traceparentOf } from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

describe('traceparent', () => {
  it('is read, and written as it was', () => {
    for (const flags of ['00', '01', '02', '03']) {
      const text = `00-${TRACE}-${SPAN}-${flags}`
      const context = parseTraceContext(text, undefined)
      expect(context).toEqual({ traceId: TRACE, spanId: SPAN, flags: Number(flags), state: null })
      expect(traceparentOf(context!)).toBe(text)
    }
  })

  it('loses flags that nobody knows', () => {
    expect(traceparentOf(parseTraceContext(`00-${TRACE}-${SPAN}-ff`, undefined)!)).toBe(`00-${TRACE}-${SPAN}-03`)
    expect(traceparentOf(parseTraceContext(`00-${TRACE}-${SPAN}-fc`, undefined)!)).toBe(`00-${TRACE}-${SPAN}-00`)
  })

  it('of a later version is read as far as it is known, and goes on as version 00', () => {
    for (const text of [`cc-${TRACE}-${SPAN}-01`, `01-${TRACE}-${SPAN}-01-what-the-future-brings`])
      expect(traceparentOf(parseTraceContext(text, undefined)!)).toBe(`00-${TRACE}-${SPAN}-01`)
  })

  it.each([
    ['nothing', ''],
    ['the version ff', `ff-${TRACE}-${SPAN}-01`],
    ['a version of one digit', `0-${TRACE}-${SPAN}-01`],
    ['an unknown version that goes on otherwise', `cc-${TRACE}-${SPAN}-01.what`],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
    ['a dash at the end', `00-${TRACE}-${SPAN}-01-`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long trace id', `00-${TRACE}0-${SPAN}-01`],
    ['a short span id', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['one digit of flags', `00-${TRACE}-${SPAN}-1`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['letters that are no digits', `00-${TRACE.replace('a', 'g')}-${SPAN}-01`],
    ['blanks around it', ` 00-${TRACE}-${SPAN}-01`],
    ['two of them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['two of a later version', `01-${TRACE}-${SPAN}-01, 01-${TRACE}-${SPAN}-01`],
    ['a line break', `00-${TRACE}-${SPAN}-01\n`],
    ['a line break after a later version', `01-${TRACE}-${SPAN}-01-a\nb`],
  ])('does not count with %s', (_fault, text) => {
    expect(parseTraceContext(text, 'a=1')).toBe(null)
  })

  it('is missing where there is none, whatever tracestate says', () => {
    expect(parseTraceContext(undefined, 'a=1')).toBe(null)
  })
})

describe('tracestate', () => {
  const stateOf = (text: string) => parseTraceContext(`00-${TRACE}-${SPAN}-01`, text)!.state

  it('is kept, without empty members and blanks between them', () => {
    expect(stateOf('congo=t61rcWkgMzE')).toBe('congo=t61rcWkgMzE')
    expect(stateOf('rojo=00f067aa0ba902b7 ,\tfw529a3039@dt=a b, ,1a=x')).toBe(
      'rojo=00f067aa0ba902b7,fw529a3039@dt=a b,1a=x',
    )
  })

  it.each([
    ['nothing in it', ' , '],
    ['no value', 'congo'],
    ['an empty value', 'congo='],
    ['a second sign of equality', 'a=b=c'],
    ['a capital letter', 'Congo=1'],
    ['a character beyond ASCII', 'a=ä'],
    ['a control character', 'a=b\u0001c'],
    ['33 members', Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(',')],
    ['more than 512 characters', Array.from({ length: 3 }, (_, i) => `k${i}=${'x'.repeat(200)}`).join(',')],
  ])('is left out with %s; the trace counts all the same', (_fault, text) => {
    expect(stateOf(text)).toBe(null)
  })
})
