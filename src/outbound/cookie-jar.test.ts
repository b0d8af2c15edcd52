import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { CookieJar } from './cookie-jar.ts'
import type { Lookup } from './resolve-names.ts'
import { authority, client, failure, get, header, httpServer, rawServer, tlsServer } from './servers.testkit.ts'

const NOW = Date.UTC(2026, 0, 1)

/** Returns the Cookie header of a request to `to`, after a redirect from `from` set these cookies. */
function sent(
  setCookies: string[],
  from = 'https://api.example.com/a/b',
  to = from,
  own: string[] = [],
): string | null {
  const jar = new CookieJar()
  jar.keep(new URL(from), setCookies, NOW)
  return cookieOf(jar, to, own)
}

function cookieOf(jar: CookieJar, to: string, own: string[] = [], now = NOW): string | null {
  const headers = own.map((value) => header('cookie', value, true))
  const hop = jar.addTo({ url: new URL(to), method: 'GET', headers, body: null }, now)
  const cookies = hop.headers.filter(({ name }) => name.toLowerCase() === 'cookie')
  expect(cookies.length).toBeLessThanOrEqual(1)
  return cookies[0]?.value ?? null
}

describe('which cookies are kept', () => {
  it.each([
    ['a=1', 'a=1'],
    ['a=1; HttpOnly; SameSite=Strict; Priority=High', 'a=1'],
    ['  a b \t= "1 2" ; x', 'a b="1 2"'],
    ['a=b=c', 'a=b=c'],
    ['a=', 'a='],
    ['__proto__=1; __proto__=2; constructor=3', '__proto__=1'],
    [`a=${'v'.repeat(4095)}`, `a=${'v'.repeat(4095)}`],
    ['a=\xfc', 'a=\xfc'],
    // None of these is a cookie.
    ['', null],
    ['a', null],
    ['=1', null],
    [' =1; Path=/', null],
    [';a=1', null],
    [`a=${'v'.repeat(4096)}`, null],
    ['a=1\r\nX-Evil: 1', null],
    ['a=\0', null],
    ['a=\u20ac', null],
  ])('case %$: %s', (text, cookie) => expect(sent([text])).toBe(cookie))

  it.each([
    ['a=1; Max-Age=0', null],
    ['a=1; Max-Age=-1', null],
    ['a=1; Max-Age=1', 'a=1'],
    ['a=1; max-age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'a=1'],
    ['a=1; Max-Age=9999999999999999999999999', 'a=1'],
    ['a=1; Max-Age=soon', 'a=1'],
    ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['a=1; expires=Thu, 01-Jan-1970 00:00:00 GMT', null],
    ['a=1; Expires=Fri, 01 Jan 2027 00:00:00 GMT', 'a=1'],
    ['a=1; Expires=whenever', 'a=1'],
    ['a=1; Max-Age=0; Max-Age=5', 'a=1'],
  ])('until when: %s', (text, cookie) => {
    expect(sent([text])).toBe(cookie)
    // An expired cookie replaces an earlier one.
    expect(sent(['a=0', text])).toBe(cookie)
  })

  it('sends none that has ended by the time of the next hop', () => {
    const jar = new CookieJar()
    jar.keep(new URL('http://a.example/'), ['a=1; Max-Age=2', 'b=2'], NOW)
    expect(cookieOf(jar, 'http://a.example/', [], NOW + 1999)).toBe('a=1; b=2')
    expect(cookieOf(jar, 'http://a.example/', [], NOW + 2000)).toBe('b=2')
  })

  it('keeps the last fifty, and the last value of each', () => {
    const many = Array.from({ length: 60 }, (_, i) => `k${i}=${i}`)
    const pairs = sent([...many, 'k30=new'])!.split('; ')
    expect(pairs).toHaveLength(50)
    expect([pairs[0], pairs.at(-1)]).toEqual(['k10=10', 'k30=new'])
  })
})

describe('where they go', () => {
  const page = 'https://api.example.com/a/b'
  it.each([
    ['a=1', page, true],
    ['a=1', 'https://api.example.com/a/c', true],
    ['a=1', 'https://api.example.com/a', true],
    ['a=1', 'https://api.example.com/ab', false],
    ['a=1', 'https://api.example.com/', false],
    ['a=1; Path=/', 'https://api.example.com/', true],
    ['a=1; Path=/x', 'https://api.example.com/x/y', true],
    ['a=1; Path=/x', 'https://api.example.com/xy', false],
    ['a=1; Path=/x/', 'https://api.example.com/x', false],
    ['a=1; Path=relative', page, true],
    ['a=1; Path=/', 'https://API.example.com:8443/', true],
    ['a=1; Path=/', 'http://api.example.com/', true],
    ['a=1; Path=/; Secure', 'http://api.example.com/', false],
    ['a=1; Path=/; SECURE=no', 'http://api.example.com/', false],
    ['a=1; Path=/; Secure', 'https://api.example.com/', true],
    // These cookies go to the same host only.
    ['a=1; Path=/', 'https://example.com/', false],
    ['a=1; Path=/', 'https://other.example.com/', false],
    ['a=1; Path=/', 'https://api.example.com.evil.example/', false],
    ['a=1; Path=/; Domain=example.com', 'https://api.example.com/', true],
    ['a=1; Path=/; Domain=.Example.com', 'https://api.example.com/', true],
    ['a=1; Path=/; Domain=example.com', 'https://other.example.com/', false],
    ['a=1; Path=/; Domain=', 'https://api.example.com/', true],
    ['a=1; Path=/; Domain=evil.example', 'https://api.example.com/', false],
    ['a=1; Path=/; Domain=evil.example', 'https://evil.example/', false],
    ['a=1; Path=/; Domain=pi.example.com', 'https://api.example.com/', false],
    ['__Host-a=1; Secure; Path=/', page, true],
    ['__Host-a=1; Secure', page, false],
    ['__Host-a=1; Secure; Path=/; Domain=api.example.com', page, false],
    ['__Host-a=1; Path=/', page, false],
    ['__secure-a=1; Secure', page, true],
    ['__Secure-a=1', page, false],
  ])('%s to %s: %s', (text, to, goes) => expect(sent([text], page, to) !== null).toBe(goes))

  it('are not taken as secure, nor in the place of secure ones, over http', () => {
    expect(sent(['a=1; Secure'], 'http://a.example/', 'https://a.example/')).toBeNull()
    const jar = new CookieJar()
    jar.keep(new URL('https://a.example/'), ['a=1; Secure'], NOW)
    jar.keep(new URL('http://a.example/'), ['a=evil', 'a=; Max-Age=0', 'b=2'], NOW)
    expect(cookieOf(jar, 'https://a.example/')).toBe('a=1; b=2')
  })

  it('have the longest path first, and stand after those that the step sends, in place of those of the same name', () => {
    const set = ['a=1; Path=/', 'b=2; Path=/a', 'c=3; Path=/']
    expect(sent(set, page, page)).toBe('b=2; a=1; c=3')
    expect(sent(set, page, page, ['x=1; a=old; y=2', 'z'])).toBe('x=1; y=2; z; b=2; a=1; c=3')
    const jar = new CookieJar()
    jar.keep(new URL(page), ['a=1'], NOW)
    const hop = (headers: ReturnType<typeof header>[]) => ({ url: new URL(page), method: 'GET', headers, body: null })
    // A cookie that a host has set is not a credential of the step.
    expect(jar.addTo(hop([]), NOW).headers).toMatchObject([{ credential: false }])
    expect(jar.addTo(hop([header('Cookie', 'x=1', true)]), NOW).headers).toMatchObject([{ credential: true }])
  })
})

describe('on the wire', () => {
  /** Sets the cookies of `set`, and redirects to `to`; answers with the Cookie header that came. */
  const serve: RequestListener = (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://x')
    const to = searchParams.get('to')
    if (to === null) response.end(request.headers.cookie ?? 'none')
    else response.writeHead(302, { location: to, 'set-cookie': searchParams.getAll('set') }).end()
  }
  const via = (origin: string, to: string, ...set: string[]) =>
    `${origin}/?to=${encodeURIComponent(to)}${set.map((each) => `&set=${encodeURIComponent(each)}`).join('')}`
  const text = (reply: { body: Uint8Array }) => Buffer.from(reply.body).toString()

  it('follow the redirects of one request, and no other, where the request says so', async () => {
    const { origin } = await httpServer(serve)
    const http = client()
    const url = via(origin, via('', '/end', 'b=2; HttpOnly'), 'a=1', 'gone=1')
    const own = [header('Cookie', 'own=0', true)]
    expect(text(await get(http, url, { cookies: true, headers: own }))).toBe('own=0; a=1; gone=1; b=2')
    expect(text(await get(http, url))).toBe('none')
    expect(text(await get(http, `${origin}/end`, { cookies: true }))).toBe('none')
  })

  it('go to no other host, and to the first again after it', async () => {
    const { port } = await httpServer(serve)
    const lookup: Lookup = (_name, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }])
    const [one, other] = [`http://one.example:${port}`, `http://other.example:${port}`]
    const http = client({ lookup })
    expect(text(await get(http, via(one, `${other}/end`, 'a=1'), { cookies: true }))).toBe('none')
    const back = via(one, via(other, `${one}/end`, 'b=2'), 'a=1')
    expect(text(await get(http, back, { cookies: true }))).toBe('a=1')
  })

  it('go over http only where they are not secure', async () => {
    const secure = await tlsServer('localhost', serve)
    const plain = await httpServer(serve)
    const url = via(`https://localhost:${secure.port}`, `http://localhost:${plain.port}/end`, 'a=1; Secure', 'b=2')
    expect(text(await get(client({ ca: [authority] }), url, { cookies: true }))).toBe('b=2')
  })

  it('are shown to the check of the request before they leave', async () => {
    const { origin } = await httpServer(serve)
    const seen: string[] = []
    const check = ({ headers }: { headers: readonly { value: string }[] }) => {
      seen.push(headers.map(({ value }) => value).join())
    }
    await get(client(), via(origin, '/end', 'a=1'), { cookies: true, check })
    expect(seen).toEqual(['', 'a=1'])
  })

  it('take in what a hostile server sends', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `Set-Cookie: k${i}=v; ${';'.repeat(i % 7)}\r\n`).join('')
    const server = await rawServer((socket, head) => {
      if (head.startsWith('GET /end ')) {
        const cookie = /^cookie: (.*)$/im.exec(head)?.[1] ?? ''
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${cookie.length}\r\n\r\n${cookie}`)
      } else
        socket.write(
          `HTTP/1.1 302 Found\r\nLocation: /end\r\n${lines.slice(0, lines.indexOf('Set-Cookie: k2000='))}Content-Length: 0\r\n\r\n`,
        )
    })
    const reply = await get(client(), server.origin, { cookies: true })
    expect(text(reply).split('; ')).toHaveLength(50)
    const circle = await httpServer((_, response) =>
      response
        .writeHead(302, { location: '/', 'set-cookie': [`a=${'x'.repeat(4000)}`, `b=${'y'.repeat(4000)}`] })
        .end(),
    )
    expect(await failure(get(client(), circle.origin, { cookies: true }))).toMatchObject({ code: 'too_many_redirects' })
  })
})
