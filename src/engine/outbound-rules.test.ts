import { describe, expect, it } from 'vitest'
import { parseOutboundUrl } from './outbound-rules.ts'

describe('parseOutboundUrl', () => {
  it.each([
    'http://a',
    'HTTPS://Example.com:8443/a/b;c=1,2?x[]=1&y=%20z#f',
    'https://münchen.example/a',
    "https://a/~x/(y)/'z'!*$@:",
    'http://[::1]:80/',
  ])('takes %s', (text) => expect(parseOutboundUrl(text)).toBeInstanceOf(URL))

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    [' http://a/', 'space'],
    ['example.com/x', 'no protocol'],
    ['localhost:8080/x', 'no protocol'],
    ['//example.com/', 'no protocol'],
    ['ftp://a/', 'ftp:'],
    ['file:///etc/passwd', 'file:'],
    ['javascript:alert(1)', 'javascript:'],
    ['unix:/var/run/docker.sock', 'unix:'],
    ['http:///x', 'no host'],
    ['https:example.com', 'no host'],
    ['http://user:pw@a/', 'credentials'],
    ['https://good@evil/', 'credentials'],
    ['http://a/b c', '%20'],
    ['http://a b/', '%20'],
    ['http://a/\t', 'tab'],
    ['http://a/\r\nx', 'line break'],
    ['http://a/\0', 'control'],
    ['http://a/b ', '%20'],
    ['http://a\\@b/', 'backslash'],
    ['http://a/b\\c', 'backslash'],
    ['http:\\\\a/', 'backslash'],
    ['http://a/{b}', '%7B'],
    ['http://a/?q=a|b', '%7C'],
    ['http://a/?q="x"', '%22'],
    ['http://a/<b>', '%3C'],
    ['http://a/100%', '%25'],
    ['http://a/%zz', '%25'],
    ['http://a/ü', '%C3%BC'],
    ['http://a/😀', '%F0%9F%98%80'],
    ['http://a:99999/', '99999'],
    ['http://a:0/', 'port 0'],
    ['http://a:b/', 'not valid'],
    ['http://[::1/', 'not valid'],
    ['http://a\u00a0b/', 'space'],
  ])('refuses %j and says why', (text, why) => {
    expect(() => parseOutboundUrl(text)).toThrow(
      expect.objectContaining({ code: 'invalid_url', message: expect.stringContaining(why) }),
    )
  })
})
