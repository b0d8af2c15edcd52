// Runs the command line in tests: as a process, or in this process, where a start costs nothing.
import { spawn } from 'node:child_process'

import { PassThrough } from 'node:stream'
import { readCommandLineSettings } from '../../src/app/config.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { runCommandLine } from '../../src/cli/run-command-line.ts'
import { Terminal } from '../../src/cli/terminal/terminal.ts'
import { ENTRY } from './entry.ts'
import { childEnvironment } from './environment.ts'

export interface CliResult {
  exit: number
  stdout: string
  stderr: string
  /** Returns what --json printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  json(): any
}

const resultOf = (exit: number, stdout: string, stderr: string): CliResult => ({
  exit,
  stdout,
  stderr,
  json: () => JSON.parse(stdout),
})

interface Call {
  env?: Record<string, string>
  input?: string
}

/** Runs in this process, with streams that are not terminals. */
export async function callCli(args: string[], { env = {}, input = '' }: Call = {}): Promise<CliResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input)
  const settings = readCommandLineSettings(env)
  const exit = await runCommandLine(args, commands, new Terminal({ stdin, stdout, stderr }, settings), settings)
  return resultOf(exit, String(stdout.read() ?? ''), String(stderr.read() ?? ''))
}

/** Runs as a process. */
export async function spawnCli(args: string[], { env = {}, input = '' }: Call = {}, cwd?: string): Promise<CliResult> {
  const child = spawn(process.execPath, [ENTRY, ...args], { env: childEnvironment(env), cwd })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  child.stdin.end(input)
  const exit = await new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)))
  return resultOf(exit, stdout, stderr)
}
