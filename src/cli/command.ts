// What a command of the command line is: its words, arguments and options, and what it does.
import type { CommandLineSettings } from '../app/config.ts'
import type { ApiClient } from './client/api-client.ts'
import type { Target } from './client/connect.ts'
import type { ExitCode } from './exit-code.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface OptionSpec {
  type: 'flag' | 'text' | 'list' | 'number'
  /** What the help shows in place of the value. */
  value?: string
  help: string
}

export const flag = (help: string) => ({ type: 'flag', help }) as const
export const text = (value: string, help: string) => ({ type: 'text', value, help }) as const
/** May be given more than once. */
export const list = (value: string, help: string) => ({ type: 'list', value, help }) as const
export const number = (value: string, help: string) => ({ type: 'number', value, help }) as const

type OptionValue<T extends OptionSpec> = T['type'] extends 'flag'
  ? boolean
  : T['type'] extends 'list'
    ? string[]
    : T['type'] extends 'number'
      ? number | undefined
      : string | undefined

export type OptionValues<T extends Record<string, OptionSpec>> = { [Name in keyof T]: OptionValue<T[Name]> }

export interface Context<Options> {
  args: readonly string[]
  options: Options
  terminal: Terminal
  wantsJson: boolean
  settings: CommandLineSettings
  target: Target
  /** Connects to the server, or to the data folder through a server in this process; only once. */
  connect(): Promise<ApiClient>
  /** The result: `json` with --json, otherwise the text. Says that all is well. */
  show(json: unknown, text: () => string): ExitCode
  /** Does the same for text that goes to a file or another program, byte by byte. */
  showDocument(json: unknown, text: () => string): ExitCode
  /** For people only, beside the result: goes to stderr, and nowhere with --json. */
  note(text: string): void
}

export interface Command {
  /** The words that call it: 'flows list'. */
  name: string
  summary: string
  /** `<flow>` must be given, `[file]` may be, and `...` takes any number. */
  args: readonly string[]
  options: Readonly<Record<string, OptionSpec>>
  /** What the summary does not say. */
  details?: string
  examples: readonly Example[]
  /** It talks to a server or works on a data folder, and takes the options for that. */
  connects: boolean
  run(context: Context<Record<string, unknown>>): Promise<ExitCode>
}

export interface Example {
  says: string
  line: string
}

interface CommandParts<T extends Record<string, OptionSpec>> {
  name: string
  summary: string
  args?: readonly string[]
  options?: T
  details?: string
  examples: readonly [says: string, line: string][]
  connects?: boolean
  run(context: Context<OptionValues<T>>): Promise<ExitCode>
}

export function defineCommand<const T extends Record<string, OptionSpec> = Record<never, never>>(
  parts: CommandParts<T>,
): Command {
  return {
    name: parts.name,
    summary: parts.summary,
    args: parts.args ?? [],
    options: parts.options ?? {},
    details: parts.details,
    examples: parts.examples.map(([says, line]) => ({ says, line })),
    connects: parts.connects ?? true,
    run: (context) => parts.run(context as Context<OptionValues<T>>),
  }
}
