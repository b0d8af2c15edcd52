// `millrace users reset-password <e-mail>`: for whoever can write the data folder.
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { resetPassword } from '../app.ts'
import { readConfig } from '../config.ts'

export async function resetUserPassword(email: string): Promise<void> {
  try {
    const config = readConfig()
    const typed = await readPassword(email)
    const password = typed === '' ? randomBytes(15).toString('base64url') : typed
    await resetPassword(config, email, password)
    console.log(`${email} has a new password, and every session of theirs has ended.`)
    if (typed === '') console.log(`The password is: ${password}`)
  } catch (error) {
    console.error(`The password was not changed: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

/** The first line of the input; a terminal does not show it. */
async function readPassword(email: string): Promise<string> {
  const terminal = process.stdin.isTTY
  if (terminal) process.stdout.write(`New password of ${email} (empty: one is made): `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal })
  // Ctrl+C must leave, not count as an empty line.
  lines.on('SIGINT', () => process.exit(130))
  for await (const line of lines) {
    lines.close()
    if (terminal) process.stdout.write('\n')
    return line
  }
  return ''
}
