import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { packageFile } from '../base/package-files.ts'
import { isCommonPassword } from './common-passwords.ts'

it.each(['qwertyuiop', '1234567890', 'Password123', 'BASKETBALL', '1q2w3e4r5t'])('knows %s', (password) => {
  expect(isCommonPassword(password)).toBe(true)
})

it.each(['correct horse battery', 'heron lamp granite tide', '', 'qwertyuiop '])('does not know %j', (password) => {
  expect(isCommonPassword(password)).toBe(false)
})

it('holds ten thousand', () => {
  expect(statSync(fileURLToPath(packageFile('src/secrets/common-passwords.bin'))).size).toBe(60_000)
})
