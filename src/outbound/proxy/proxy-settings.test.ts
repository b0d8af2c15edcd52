import { describe, expect, it } from 'vitest'
import { ProxySettingFault, proxyFor, readProxySettings, serversOf } from './proxy-settings.ts'

const read = (settings: Record<string, string>) => readProxySettings((name) => settings[name])
const server = (text: string) => read({ MILLRACE_PROXY: text })!.http!

/** Returns the address of the proxy for a URL, or null. */
const routeOf = (settings: Record<string, string>, url: string) =>
  proxyFor(read({ MILLRACE_PROXY: 'http://proxy.example.com:3128', ...settings })!, new URL(url).origin)?.origin ?? null
const isDirect = (exceptions: string, url: string) => routeOf({ MILLRACE_NO_PROXY: exceptions }, url) === null

describe('MILLRACE_PROXY', () => {
  it('is off by default', () => expect(read({ MILLRACE_NO_PROXY: '*', HTTP_PROXY: 'http://proxy:1' })).toBeNull())

  it.each([
    ['http://proxy.example.com:3128', 'http://proxy.example.com:3128'],
    ['proxy.example.com:3128', 'http://proxy.example.com:3128'],
    ['http://PROXY.example.com', 'http://proxy.example.com:80'],
    ['https://proxy.example.com./', 'https://proxy.example.com:443'],
    ['https://u:p@[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['http://127.0.0.1:8888', 'http://127.0.0.1:8888'],
  ])('takes %s', (text, origin) => expect(server(text).origin).toBe(origin))

  it('decodes user and password, and shows neither', () => {
    const { authorization, label, origin, password } = server('http://millrace:p%40ss%3A%C3%A4@proxy.example.com:3128')
    expect(authorization).toBe(`Basic ${Buffer.from('millrace:p@ss:ä').toString('base64')}`)
    expect(password).toBe('p@ss:ä')
    expect(label).toBe('the proxy proxy.example.com:3128 (MILLRACE_PROXY)')
    expect(origin).toBe('http://proxy.example.com:3128')
    expect(server('http://millrace@proxy.example.com').authorization).toBe(
      `Basic ${Buffer.from('millrace:').toString('base64')}`,
    )
  })

  it.each([
    ['socks5://s3cret:s3cret@proxy:1080', /proxies of the kind socks5 are not supported/],
    ['http://s3cret:s3cret@proxy:99999', /not the URL of a proxy/],
    ['http://proxy:0', /port is 0/],
    ['http://', /not the URL of a proxy/],
    ['http://s3cret@proxy/path', /more than scheme/],
    ['http://proxy/?s3cret', /more than scheme/],
    ['http://proxy/#s3cret', /more than scheme/],
    ['http://s3cret:%zz@proxy', /begins no escape/],
    ['http://s3cr%3Aet:x@proxy', /contains a colon/],
    ['http://s3cret:a%0D%0Ab@proxy', /control character/],
    ['http://:s3cret@proxy', /no user/],
  ])('refuses %s without quoting it', (text, fault) => {
    expect(() => server(text)).toThrow(fault)
    expect(() => server(text)).not.toThrow(/s3cr/)
    expect(() => server(text)).toThrow(ProxySettingFault)
  })
})

describe('MILLRACE_PROXY=env', () => {
  it('takes the proxy of each scheme, in either spelling, and what goes direct', () => {
    const settings = { MILLRACE_PROXY: 'env', HTTPS_PROXY: 'http://s:1', http_proxy: 'p:2', no_proxy: 'a.example' }
    expect(routeOf(settings, 'https://b.example/')).toBe('http://s:1')
    expect(routeOf(settings, 'http://b.example/')).toBe('http://p:2')
    expect(routeOf(settings, 'http://a.example/')).toBeNull()
    expect(read(settings)!.http!.label).toBe('the proxy p:2 (http_proxy)')
    expect(serversOf(read(settings))).toHaveLength(2)
  })

  it('goes direct for a scheme without a proxy, and without any', () => {
    expect(routeOf({ MILLRACE_PROXY: 'ENV', HTTPS_PROXY: 'http://s:1' }, 'http://b.example/')).toBeNull()
    expect(read({ MILLRACE_PROXY: 'env', NO_PROXY: 'x' })).toBeNull()
  })

  it('prefers MILLRACE_NO_PROXY', () => {
    const settings = { MILLRACE_PROXY: 'env', HTTP_PROXY: 'p:2', NO_PROXY: '*', MILLRACE_NO_PROXY: 'a.example' }
    expect(routeOf(settings, 'http://b.example/')).toBe('http://p:2')
  })

  it('names the variable that is wrong', () => {
    const fault = (settings: Record<string, string>) => {
      try {
        read({ MILLRACE_PROXY: 'env', ...settings })
      } catch (error) {
        return (error as ProxySettingFault).setting
      }
      return null
    }
    expect(fault({ https_proxy: 'socks5://x' })).toBe('https_proxy')
    expect(fault({ HTTP_PROXY: 'p:1', NO_PROXY: '10.*' })).toBe('NO_PROXY')
  })
})

describe('MILLRACE_NO_PROXY', () => {
  it.each([
    ['*', 'https://anything.example/'],
    ['shop.example', 'https://shop.example/'],
    ['SHOP.example.', 'https://Shop.example./'],
    ['shop.example', 'https://eu.shop.example/'],
    ['.shop.example', 'https://eu.shop.example/'],
    ['*.shop.example', 'https://a.eu.shop.example/'],
    ['shop.example:8443', 'https://shop.example:8443/'],
    ['shop.example:443', 'https://shop.example/'],
    ['.shop.example:80', 'http://eu.shop.example/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['10.0.0.0/8', 'http://10.1.2.3/'],
    ['10.1.2.3', 'http://10.1.2.3:8080/'],
    ['10.1.2.3:8080', 'http://10.1.2.3:8080/'],
    ['fd00::/8', 'http://[fd00::5]/'],
    ['[fd00::5]:80', 'http://[fd00::5]/'],
    ['private', 'http://192.168.1.1/'],
    ['a.example b.example, ,c.example', 'http://b.example/'],
    ['', 'http://localhost:1/'],
    ['', 'http://app.localhost./'],
    ['', 'http://127.9.9.9/'],
    ['', 'http://[::ffff:127.0.0.1]/'],
    ['', 'http://[::1]/'],
    ['', 'http://0.0.0.0/'],
  ])('%j leads %s direct', (exceptions, url) => expect(isDirect(exceptions, url)).toBe(true))

  it.each([
    ['shop.example', 'https://myshop.example/'],
    ['.shop.example', 'https://shop.example/'],
    ['*.shop.example', 'https://shop.example/'],
    ['shop.example:8443', 'https://shop.example/'],
    ['10.0.0.0/8', 'http://11.0.0.1/'],
    // A name is not resolved to find out.
    ['10.0.0.0/8', 'http://ten.example/'],
    ['10.1.2.3:8080', 'http://10.1.2.3/'],
    ['', 'http://notlocalhost/'],
    ['', 'http://10.0.0.1/'],
  ])('%j leads %s through the proxy', (exceptions, url) => expect(isDirect(exceptions, url)).toBe(false))

  it.each(['10.*', 'a*.example', '10.0.0.0/33', 'http://a.example', 'a.example:0', '.10.0.0.1', '**', 'a@b', '*.'])(
    'refuses %j',
    (entry) =>
      expect(() => read({ MILLRACE_PROXY: 'p:1', MILLRACE_NO_PROXY: `ok.example,${entry}` })).toThrow(
        ProxySettingFault,
      ),
  )
})
