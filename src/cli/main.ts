// Every command but `serve`, on this process's terminal.
import { readCommandLineSettings } from '../app/config.ts'
import { commands } from './commands/index.ts'
import { runCommandLine } from './run-command-line.ts'
import { Terminal } from './terminal/terminal.ts'

export async function main(args: readonly string[]): Promise<void> {
  // The reader of the output may stop reading: `millrace runs list | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const settings = readCommandLineSettings()
  const terminal = new Terminal(process, settings)
  process.exitCode = await runCommandLine(args, commands, terminal, settings)
}
