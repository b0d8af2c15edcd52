// The help texts, made from the command table.
import type { Command, OptionSpec } from './command.ts'
import type { Terminal } from './terminal/terminal.ts'

export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'flag', help: 'print JSON, for scripts' },
  help: { type: 'flag', help: 'show this help' },
}

export const CONNECTING_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  server: { type: 'text', value: 'url', help: 'the server to talk to; by default MILLRACE_BASE_URL' },
  token: { type: 'text', value: 'token', help: 'an API token, or @file; by default MILLRACE_ADMIN_TOKEN' },
  'data-dir': { type: 'text', value: 'folder', help: 'work on this data folder, or with the server that holds it' },
}

export const optionsOf = (command: Command): Record<string, OptionSpec> => ({
  ...command.options,
  ...(command.connects ? CONNECTING_OPTIONS : {}),
  ...COMMON_OPTIONS,
})

export const usageOf = (command: Command): string =>
  ['millrace', command.name, ...command.args, Object.keys(command.options).length ? '[options]' : '']
    .filter(Boolean)
    .join(' ')

export function overview(terminal: Terminal, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${terminal.style('bold', name.padEnd(width))}  ${summary}`)
  return [
    'Usage: millrace <command> [arguments] [options]',
    '',
    ...lines,
    '',
    '"millrace <command> --help" explains a command, with examples. docs/cli.md explains all of them.',
  ].join('\n')
}

export function helpFor(terminal: Terminal, command: Command): string {
  const options = Object.entries(optionsOf(command)).map(
    ([name, spec]) => [optionLabel(name, spec), spec.help] as const,
  )
  const width = Math.max(...options.map(([label]) => label.length))
  return [
    `${command.summary}.`,
    ...(command.details ? ['', command.details] : []),
    '',
    terminal.style('bold', 'Usage'),
    `  ${usageOf(command)}`,
    '',
    terminal.style('bold', 'Options'),
    ...options.map(([label, help]) => `  ${label.padEnd(width)}  ${help}`),
    '',
    terminal.style('bold', 'Examples'),
    ...command.examples.flatMap(({ says, line }) => [terminal.style('dim', `  # ${says}`), `  ${line}`]),
  ].join('\n')
}

const optionLabel = (name: string, { type, value }: OptionSpec): string =>
  type === 'flag' ? `--${name}` : `--${name} <${value}>${type === 'list' ? '...' : ''}`
