// Finds the command that was called, reads its arguments and options, runs it, and turns what went wrong into an exit code.

import { parseArgs } from 'node:util'
import type { CommandLineSettings } from '../app/config.ts'
import { ConfigError } from '../app/read-setting.ts'
import { Refusal } from '../base/refusals.ts'
import { nearest } from '../flow/issue.ts'
import type { ApiClient } from './client/api-client.ts'
import { connect } from './client/connect.ts'
import type { Command, OptionSpec } from './command.ts'
import { CliError, EXIT, type ExitCode, usageError } from './exit-code.ts'
import { helpFor, optionsOf, overview, usageOf } from './help.ts'
import type { Terminal } from './terminal/terminal.ts'
import { visibleJson } from './terminal/visible.ts'

export async function runCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
  settings: CommandLineSettings,
): Promise<ExitCode> {
  const wantsJson = argv.includes('--json')
  try {
    return await dispatch(argv, commands, terminal, settings)
  } catch (error) {
    const shown = asCliError(error)
    if (!shown) throw error
    if (wantsJson)
      terminal.err(visibleJson({ error: { code: shown.code, message: shown.message, details: shown.details } }))
    else {
      terminal.err(`${terminal.styleError('red', 'error:')} ${shown.message}`)
      for (const line of shown.details) terminal.err(`  ${line}`)
    }
    return shown.exit
  }
}

async function dispatch(
  argv: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
  settings: CommandLineSettings,
): Promise<ExitCode> {
  const words = argv.slice(0, wordCount(argv))
  if (words.length === 0 || words[0] === 'help') {
    const group = words.slice(1)
    const chosen = group.length ? commandsUnder(commands, group) : commands
    terminal.out(chosen.length === 1 ? helpFor(terminal, chosen[0]!) : overview(terminal, chosen))
    return EXIT.ok
  }
  const command = findCommand(commands, words)
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `))
    // `millrace flows` shows what there is of flows.
    if (words.length > 1 || group.length === 0) throw unknownCommand(commands, words)
    terminal.out(overview(terminal, group))
    return argv.includes('--help') ? EXIT.ok : EXIT.usage
  }
  return call(command, argv.slice(command.name.split(' ').length), terminal, settings)
}

async function call(
  command: Command,
  rest: readonly string[],
  terminal: Terminal,
  settings: CommandLineSettings,
): Promise<ExitCode> {
  const { values, positionals } = parse(command, rest)
  if (values['help']) {
    terminal.out(helpFor(terminal, command))
    return EXIT.ok
  }
  checkCount(command, positionals.length)
  const wantsJson = Boolean(values['json'])
  let client: Promise<ApiClient> | undefined
  const target = {
    server: values['server'] as string | undefined,
    token: values['token'] as string | undefined,
    dataDir: values['data-dir'] as string | undefined,
  }
  try {
    return await command.run({
      args: positionals,
      options: valuesOf(command, values),
      terminal,
      wantsJson,
      settings,
      target,
      connect: () => {
        client ??= connect(settings, target)
        return client
      },
      show: (json, text) => {
        terminal.out(wantsJson ? visibleJson(json, 2) : text())
        return EXIT.ok
      },
      showDocument: (json, text) => {
        if (wantsJson) terminal.out(visibleJson(json, 2))
        else terminal.outDocument(text())
        return EXIT.ok
      },
      note: (text) => {
        if (!wantsJson) terminal.err(text)
      },
    })
  } finally {
    await client?.then((opened) => opened.close()).catch(() => {})
  }
}

/** The words before the first option. */
function wordCount(argv: readonly string[]): number {
  const first = argv.findIndex((word) => word.startsWith('-'))
  return first === -1 ? argv.length : first
}

const commandsUnder = (commands: readonly Command[], words: readonly string[]): readonly Command[] => {
  const exact = findCommand(commands, words)
  if (exact) return [exact]
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `))
  if (group.length === 0) throw unknownCommand(commands, words)
  return group
}

const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands.find(({ name }) => {
    const own = name.split(' ')
    return own.every((word, i) => words[i] === word)
  })

function unknownCommand(commands: readonly Command[], words: readonly string[]): CliError {
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `))
  const typed = group.length ? words.slice(0, 2).join(' ') : words[0]!
  const known = group.length
    ? group.map(({ name }) => name)
    : commands.flatMap(({ name }) => [name, name.split(' ')[0]!])
  const meant = nearest(typed, known)
  return usageError(
    `There is no command "${typed}".${meant ? ` Did you mean "millrace ${meant}"?` : ' "millrace help" lists them.'}`,
  )
}

function parse(command: Command, args: readonly string[]) {
  const options = optionsOf(command)
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type }]) => [
          name,
          { type: type === 'flag' ? ('boolean' as const) : ('string' as const), multiple: type === 'list' },
        ]),
      ),
    })
    return { values: parsed.values as Record<string, unknown>, positionals: parsed.positionals }
  } catch (error) {
    throw optionFault(error as Error & { code?: string }, command, options)
  }
}

function optionFault(
  error: Error & { code?: string },
  command: Command,
  options: Record<string, OptionSpec>,
): CliError {
  const named = /'(--[\w-]+|-\w)/.exec(error.message)?.[1]
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && named) {
    const meant = nearest(named.replace(/^-+/, ''), Object.keys(options))
    return usageError(
      `"millrace ${command.name}" has no option ${named}.${meant ? ` Did you mean --${meant}?` : ` See millrace ${command.name} --help.`}`,
    )
  }
  if (error.code?.startsWith('ERR_PARSE_ARGS')) return usageError(error.message)
  throw error
}

function checkCount(command: Command, given: number): void {
  const least = command.args.filter((name) => name.startsWith('<')).length
  const most = command.args.some((name) => name.includes('...')) ? Number.POSITIVE_INFINITY : command.args.length
  if (given >= least && given <= most) return
  throw usageError(
    `${given < least ? 'An argument is missing' : 'There are too many arguments'}. Usage: ${usageOf(command)}`,
  )
}

function valuesOf(command: Command, values: Record<string, unknown>): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries(command.options)) {
    const value = values[name]
    if (type === 'flag') typed[name] = value === true
    else if (type === 'list') typed[name] = value ?? []
    else if (type === 'number' && value !== undefined) typed[name] = numberFrom(name, value as string)
    else typed[name] = value
  }
  return typed
}

function numberFrom(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < 1)
    throw usageError(`--${name} takes a whole number from 1, not "${text}".`)
  return value
}

/** Returns null for a bug in Millrace, which is shown with its stack. */
function asCliError(error: unknown): CliError | null {
  if (error instanceof CliError) return error
  if (error instanceof ConfigError) return new CliError(EXIT.usage, 'configuration', error.message)
  if (error instanceof Refusal) return new CliError(EXIT.failed, 'refused', error.message)
  const { message, code } = error as Error & { code?: string }
  // Of the file system: the message names the file.
  if (code && /^E[A-Z]+$/.test(code))
    return new CliError(code === 'ENOENT' ? EXIT.notFound : EXIT.failed, 'file', message)
  return null
}
