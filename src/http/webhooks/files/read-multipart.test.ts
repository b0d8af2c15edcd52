import { describe, expect, it } from 'vitest'
import { Rejection } from '../../../operations/deliveries/rejection.ts'
import { readMultipart } from './read-multipart.ts'

const TYPE = 'multipart/form-data; boundary=b'
const MOST_TEXT = 1_048_576

const part = (head: string, content = '') => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`

async function* chunks(text: string | Buffer, size = 65_536): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const gathered = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Uint8Array[] = []
  for await (const chunk of bytes) all.push(chunk)
  return Buffer.concat(all).toString()
}

const read = (source: AsyncIterable<Uint8Array>, more: object = {}) =>
  readMultipart(source, {
    contentType: TYPE,
    mostTextBytes: MOST_TEXT,
    holdText() {},
    takeFile: async ({ field, name, contentType, bytes }) => ({
      field,
      name,
      contentType,
      text: await gathered(bytes),
    }),
    ...more,
  })

async function refusal(reading: Promise<unknown>): Promise<Rejection> {
  try {
    await reading
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
  throw new Error('It was not refused')
}

describe('a form with files', () => {
  it.each([1, 7, 65_536])('is read in pieces of %d bytes', async (size) => {
    const file = 'x\r\n-\r\n--c\r\n--'.repeat(50)
    const form = `${part('name="note"', 'größe')}${part('name="doc"; filename="../a.pdf"', file)}${part('name="doc"; filename="b.pdf"')}--b--\r\n`
    expect(await read(chunks(form, size))).toEqual({
      fields: [['note', 'größe']],
      files: [
        { field: 'doc', name: '../a.pdf', contentType: null, text: file },
        { field: 'doc', name: 'b.pdf', contentType: null, text: '' },
      ],
    })
  })

  it('waits for what takes a file: no more of the body is read than that', async () => {
    let pulled = 0
    async function* source(): AsyncIterable<Uint8Array> {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n')
      for (let i = 0; i < 100; i++) {
        pulled++
        yield Buffer.alloc(65_536)
      }
      yield Buffer.from('\r\n--b--\r\n')
    }
    const { files } = await read(source(), {
      async takeFile({ bytes }: { bytes: AsyncIterable<Uint8Array> }) {
        let size = 0
        let most = 0
        for await (const chunk of bytes) {
          size += chunk.length
          // What waits in memory between the source and here.
          most = Math.max(most, pulled * 65_536 - size)
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { size, most }
      },
    })
    const [{ size, most }] = files as unknown as [{ size: number; most: number }]
    expect(size).toBe(100 * 65_536)
    expect(most).toBeLessThan(8 * 65_536)
  })
})

describe('the head of a part', () => {
  it.each([
    ['name="a"; filename="C:\\dir\\a.pdf"', 'a', 'C:\\dir\\a.pdf'],
    ['name="a%22b"; filename="x%0Ay"', 'a"b', 'x\ny'],
    [`name=a; filename*=UTF-8''%E7%99%BC.pdf`, 'a', '發.pdf'],
    ['name="__proto__"; filename=""', '__proto__', ''],
  ])('%s', async (head, field, name) => {
    const { files } = await read(chunks(`${part(head, 'x')}--b--`))
    expect(files).toMatchObject([{ field, name }])
  })

  it('may have spaces after the boundary, and text before and after the form', async () => {
    const form = `preamble\r\n--b  \r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\nepilogue`
    expect(await read(chunks(form, 3))).toEqual({ fields: [['a', '1']], files: [] })
  })
})

describe('a hostile form', () => {
  it('of a million empty parts is refused after the first thousands', async () => {
    let pulled = 0
    async function* endless(): AsyncIterable<Uint8Array> {
      const piece = Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(1_000))
      for (; pulled < 1_000; pulled++) yield piece
    }
    const { code, message } = await refusal(read(endless(), { mostTextBytes: 100_000_000 }))
    expect([code, message]).toEqual(['bad_request', 'The form has more than 20,000 parts.'])
    expect(pulled).toBeLessThan(25)
  })

  it('whose boundary never comes is refused when its text is too large', async () => {
    const { code } = await refusal(read(chunks('x'.repeat(4 * MOST_TEXT))))
    expect(code).toBe('payload_too_large')
  })

  it('is refused when it ends too early, and what was begun has ended', async () => {
    let ended = 0
    const begun = {
      async takeFile({ bytes }: { bytes: AsyncIterable<Uint8Array> }) {
        try {
          return await gathered(bytes)
        } finally {
          ended++
        }
      },
    }
    const { code, message } = await refusal(read(chunks(part('name="f"; filename="f"', 'abc').slice(0, -2)), begun))
    expect([code, message]).toEqual(['bad_request', 'The form ends before its closing boundary.'])
    expect(ended).toBe(1)
  })

  it('of more than a hundred files is refused', async () => {
    const form = `${part('name="f"; filename="f"', 'x').repeat(101)}--b--\r\n`
    expect((await refusal(read(chunks(form)))).message).toBe('The form has more than 100 files.')
  })

  it('fails with what taking a file throws, also while more comes', async () => {
    const form = `${part('name="f"; filename="f"', 'x'.repeat(500_000))}--b--\r\n`
    const full = new Error('full')
    await expect(read(chunks(form), { takeFile: () => Promise.reject(full) })).rejects.toBe(full)
  })

  it.each([
    ['multipart/form-data', 'The Content-Type names no boundary.'],
    ['multipart/form-data; boundary=', 'The Content-Type names no boundary.'],
  ])('with the type %s is refused', async (contentType, message) => {
    expect((await refusal(read(chunks('--b--'), { contentType }))).message).toBe(message)
  })

  it.each([
    ['no head', '--b\r\n\r\nabc\r\n--b--\r\n'],
    ['another kind', '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nabc\r\n--b--\r\n'],
    ['two names', `${part('name="a"; name="b"')}--b--\r\n`],
    [
      'two dispositions',
      '--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"\r\n\r\n\r\n--b--',
    ],
    ['a bare line break', '--b\r\nContent-Disposition: form-data; name="a\nb"\r\n\r\n\r\n--b--'],
  ])('with %s in a part is refused', async (_what, form) => {
    expect((await refusal(read(chunks(form)))).message).toBe(
      'A part of the form has no name, or a head that cannot be read.',
    )
  })

  it('with text after a boundary is refused', async () => {
    expect((await refusal(read(chunks('--b no boundary\r\n\r\n')))).message).toBe(
      'The form has a boundary with more after it.',
    )
  })

  it('with a head that never ends is refused', async () => {
    const form = `--b\r\nContent-Disposition: form-data; name="${'x'.repeat(100_000)}`
    expect((await refusal(read(chunks(form, 100)))).message).toBe('A head in the form is too long.')
  })

  it('without a name of a part is refused', async () => {
    expect((await refusal(read(chunks(`${part('x="y"', 'a')}--b--\r\n`)))).message).toBe(
      'A part of the form has no name, or a head that cannot be read.',
    )
  })
})
