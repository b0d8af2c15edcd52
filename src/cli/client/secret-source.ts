// Reads secrets, but never from the command line itself, which every user of the machine can read.
import { readFileSync } from 'node:fs'
import type { CommandLineSettings } from '../../app/config.ts'
import { usageError } from '../exit-code.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `name` asks for the secret, or reads stdin without a terminal; `name=env:VARIABLE` and `name=file:path` read it from there. */
export async function readSecrets(
  given: readonly string[],
  terminal: Terminal,
  variable: CommandLineSettings['variable'],
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {}
  let usesStdin = false
  for (const entry of given) {
    const [, name, source] = /^([^=]+)(?:=(.*))?$/s.exec(entry) ?? []
    if (!name) throw usageError(`"${entry}" is not <name>, <name>=env:<variable> or <name>=file:<path>.`)
    if (source === undefined && !terminal.isInteractive) {
      if (usesStdin) throw usageError('Only one secret can come from stdin; give the others by env: or file:.')
      usesStdin = true
    }
    secrets[name] = await readSecret(name, source, terminal, variable)
    if (secrets[name] === '') throw usageError(`The secret "${name}" is empty.`)
  }
  return secrets
}

async function readSecret(
  name: string,
  source: string | undefined,
  terminal: Terminal,
  variable: CommandLineSettings['variable'],
): Promise<string> {
  if (source === undefined)
    return terminal.isInteractive ? terminal.askSecret(name) : withoutLineEnd((await terminal.readStdin()).toString())
  if (source.startsWith('file:')) return withoutLineEnd(readFileSync(source.slice('file:'.length), 'utf8'))
  if (!source.startsWith('env:'))
    throw usageError(
      `Secrets do not belong on the command line, where others can read them. Give only ${name} to be asked for it, or ${name}=env:<variable>, or ${name}=file:<path>.`,
    )
  const value = variable(source.slice('env:'.length))
  if (value === undefined) throw usageError(`The variable ${source.slice('env:'.length)} is not set.`)
  return value
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
