// The reference of docs/cli.md, made from the command table; scripts/generate.ts writes it, and a test holds the page to it.
import type { Command } from './command.ts'
import { usageOf } from './help.ts'

export function reference(commands: readonly Command[]): string {
  return commands.map(section).join('\n')
}

function section(command: Command): string {
  const options = Object.entries(command.options)
  return [
    `### \`millrace ${command.name}\`\n`,
    `${command.summary}.${command.details ? ` ${command.details.replaceAll('\n', ' ')}` : ''}\n`,
    `Usage: \`${usageOf(command)}\`\n`,
    ...(options.length
      ? [
          `| Option | |\n| --- | --- |`,
          ...options.map(
            ([name, { type, value, help }]) =>
              `| \`--${name}${type === 'flag' ? '' : ` <${value}>`}\` | ${help}${type === 'list' ? '; may be given more than once' : ''} |`,
          ),
          '',
        ]
      : []),
    '```sh',
    ...command.examples.map(({ says, line }) => `${line} # ${says}`),
    '```\n',
  ].join('\n')
}
