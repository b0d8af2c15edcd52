import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseOutsideReference } from '../../base/outside-reference.ts'
import { createOutsideSecrets } from './outside-secrets.ts'

let folder: string
let around: string
beforeAll(() => {
  around = mkdtempSync(join(tmpdir(), 'millrace-outside-'))
  folder = join(around, 'secrets')
  mkdirSync(join(folder, 'team'), { recursive: true })
  writeFileSync(join(around, 'secret.key'), 'the key of the service')
  writeFileSync(join(folder, 'shop-token'), 's3cret of the shop\n')
  writeFileSync(join(folder, 'team', 'a.b_c'), 'two\nlines\r\n')
  writeFileSync(join(folder, 'empty'), '\n')
  writeFileSync(join(folder, 'large'), 'x'.repeat(65_537))
  writeFileSync(join(folder, 'latin1'), Buffer.from([0x66, 0xfc, 0x72]))
  symlinkSync(join(around, 'secret.key'), join(folder, 'link'))
  symlinkSync(join(folder, 'shop-token'), join(folder, 'inner-link'))
  symlinkSync(around, join(folder, 'folder-link'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
})
afterAll(() => rmSync(around, { recursive: true }))

const read = (reference: string, clock = () => 0) => createOutsideSecrets(folder, null, clock).read(reference)

describe('a reference', () => {
  it.each([
    'file:',
    'file:/etc/passwd',
    'file:../secret.key',
    'file:a/../b',
    'file:a//b',
    'file:./a',
    'file:a b',
    'file:a\0b',
  ])('leads nowhere else: %j', (text) => expect(parseOutsideReference(text)).toContain('MILLRACE_SECRETS_DIR'))

  it.each([
    'vault:',
    'vault:shop#token',
    'vault:secret/shop',
    'vault:secret/shop#',
    'vault:secret/../sys#a',
    'vault:a/b#c#d',
    'vault:a/b?c#d',
  ])('to Vault has a mount, a path and a field: %j', (text) =>
    expect(parseOutsideReference(text)).toContain('vault:secret/shop#token'),
  )

  it('is not endless', () => expect(parseOutsideReference(`file:${'a'.repeat(500)}`)).toContain('longer'))

  it('has the names of a file, or a path and a field', () => {
    expect(parseOutsideReference('file:team/a.b_c')).toEqual({ kind: 'file', names: ['team', 'a.b_c'] })
    expect(parseOutsideReference('vault:secret/shop#token')).toEqual({
      kind: 'vault',
      path: 'secret/shop',
      field: 'token',
    })
  })
})

describe('a file', () => {
  it('is read without the line break at its end', async () => {
    expect(await read('file:shop-token')).toBe('s3cret of the shop')
    expect(await read('file:team/a.b_c')).toBe('two\nlines')
  })

  it.each([
    ['link', 'is a link'],
    ['inner-link', 'is a link'],
    ['folder-link/secret.key', 'there is no file'],
    ['pipe', 'is no file'],
    ['team', 'is no file'],
    ['none', 'there is no file'],
    ['empty', 'is empty'],
    ['large', 'larger than 64 KiB'],
    ['latin1', 'is not UTF-8'],
  ])('that is a %s is refused, without its path', async (name, reason) => {
    const message = await read(`file:${name}`).catch((error: Error) => error.message)
    expect(message).toContain(reason)
    expect(message).not.toContain(around)
  })

  it('needs a folder', async () => {
    await expect(createOutsideSecrets(null, null, () => 0).read('file:a')).rejects.toThrow(
      'MILLRACE_SECRETS_DIR is not set',
    )
  })

  it('is remembered for a minute, and read anew then', async () => {
    let now = 0
    const secrets = createOutsideSecrets(folder, null, () => now)
    expect(secrets.known('file:shop-token')).toBeNull()
    await secrets.read('file:shop-token')
    now = 59_999
    expect(secrets.known('file:shop-token')).toBe('s3cret of the shop')
    now = 60_000
    expect(secrets.known('file:shop-token')).toBeNull()
  })

  it('is read once for all who ask at the same time', async () => {
    let reads = 0
    const vault = { read: async () => String(++reads) }
    const secrets = createOutsideSecrets(null, vault, () => 0)
    const found = await Promise.all(Array.from({ length: 5 }, () => secrets.read('vault:a/b#c')))
    expect(found).toEqual(['1', '1', '1', '1', '1'])
  })
})
