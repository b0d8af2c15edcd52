// Runs the commands of a page of the guide in a shell, block by block, with the programs of guide-bin first on its path.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { childEnvironment } from './environment.ts'

const root = resolve(import.meta.dirname, '../..')
const programs = join(import.meta.dirname, 'guide-bin')

export interface Session {
  /** An existing folder for this session alone. */
  base: string
  /** The folder in which the commands run. */
  folder: string
  environment: Record<string, string>
  /** Programs whose commands are parsed and not run. */
  notHere: readonly string[]
  /** The answers to a command that asks, by command. */
  answers: Record<string, string>
}

export interface BlockResult {
  /** Commands that failed: `<exit code> <command>`. */
  faults: string[]
  /** The status of each reply to curl. */
  statuses: string[]
  stdout: string
  stderr: string
}

export interface SessionResult {
  blocks: BlockResult[]
  /** The output of the servers that the commands have started. */
  log: string
  /** The starts and ends of the servers, in order: `start server-8080`, `KILL server-8080`. */
  processes: string[]
  /** Ends what the commands have started. */
  stop(): void
}

export async function runSession(blocks: readonly string[], session: Session): Promise<SessionResult> {
  const [notes, bin, home] = ['notes', 'bin', 'home'].map((name) => join(session.base, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [notes, bin, home]) mkdirSync(path)
  for (const name of readdirSync(programs)) symlinkSync(join(programs, name), join(bin, name))
  for (const name of session.notHere)
    if (!existsSync(join(bin, name))) symlinkSync(join(programs, 'not-here'), join(bin, name))
  writeFileSync(join(notes, 'answers'), Object.entries(session.answers).flat().join('\n'))
  for (const [i, text] of blocks.entries()) writeFileSync(join(notes, `block-${i}`), `${text}\ntrue\n`)
  writeFileSync(join(notes, 'session'), sessionScript(blocks.length))

  const child = spawn('timeout', ['--kill-after=1', String(SECONDS), 'bash', join(notes, 'session')], {
    cwd: session.folder,
    env: childEnvironment({
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      ...session.environment,
      GUIDE: notes,
      GUIDE_ROOT: root,
      GUIDE_NODE: process.execPath,
      GUIDE_CURL: whereIs('curl')!,
    }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await new Promise((done) => child.on('close', done))

  const note = (name: string) => (existsSync(join(notes, name)) ? readFileSync(join(notes, name), 'utf8') : '')
  const lines = (name: string) => note(name).split('\n').filter(Boolean)
  const notesEnding = (ending: string) => readdirSync(notes).filter((name) => name.endsWith(ending))
  return {
    blocks: blocks.map((_, i) => ({
      faults: existsSync(join(notes, `ended-${i}`)) ? lines(`faults-${i}`) : [`none: not ended after ${SECONDS} s`],
      statuses: lines(`statuses-${i}`),
      stdout: note(`stdout-${i}`),
      stderr: note(`stderr-${i}`),
    })),
    log: notesEnding('.log').map(note).join(''),
    processes: lines('processes'),
    stop() {
      for (const name of notesEnding('.pid'))
        try {
          process.kill(Number(note(name)), 'SIGKILL')
        } catch {
          // The process has ended by itself.
        }
    },
  }
}

/** The limit only finds commands that never end; a busy machine may need long. */
const SECONDS = 600

/** One shell runs all blocks, so that variables stay set for the next block. */
const sessionScript = (count: number): string => `
shopt -s expand_aliases
set -o pipefail
trap 'echo "$? $BASH_COMMAND" >>"$GUIDE/faults-$block"' ERR
for ((block = 0; block < ${count}; block++)); do
  source "$GUIDE/block-$block" >"$GUIDE/stdout-$block" 2>"$GUIDE/stderr-$block"
  touch "$GUIDE/ended-$block"
  [ ! -e "$GUIDE/statuses" ] || mv "$GUIDE/statuses" "$GUIDE/statuses-$block"
  # The guide's alias is the program that the path has here.
  unalias -a
done
`

export function whereIs(program: string): string | null {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}
