import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type CommandLineSettings, readCommandLineSettings } from '../app/config.ts'
import { type Command, defineCommand, flag, list, number, text } from './command.ts'
import { CliError, EXIT } from './exit-code.ts'
import { runCommandLine } from './run-command-line.ts'
import { Terminal } from './terminal/terminal.ts'

const calls: object[] = []
const TABLE: Command[] = [
  defineCommand({
    name: 'mills list',
    summary: 'List mills',
    args: ['[river]'],
    options: {
      limit: number('count', 'so many'),
      old: flag('also old ones'),
      tag: list('tag', 'tags'),
      at: text('t', 't'),
    },
    examples: [['all of them', 'millrace mills list']],
    async run({ args, options, show }) {
      calls.push({ args, options })
      return show({ items: ['one'] }, () => 'one mill')
    },
  }),
  defineCommand({
    name: 'mills stop',
    summary: 'Stop a mill',
    args: ['<mill>'],
    connects: false,
    examples: [['stop it', 'millrace mills stop x']],
    run: () => Promise.reject(new CliError(EXIT.conflict, 'conflict', 'It has stopped already.', ['since Monday'])),
  }),
]

async function call(line: string, { tty = false, noColor = false } = {}) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  if (tty) for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: true, columns: 80 })
  const settings: CommandLineSettings = { ...readCommandLineSettings({}), noColor }
  const exit = await runCommandLine(line.split(' ').filter(Boolean), TABLE, new Terminal(streams, settings), settings)
  return { exit, out: String(streams.stdout.read() ?? ''), err: String(streams.stderr.read() ?? '') }
}

describe('the command line', () => {
  it('hands over arguments and options with their types', async () => {
    calls.length = 0
    expect(await call('mills list Wye --limit 3 --tag a --tag=b --old')).toMatchObject({ exit: 0, out: 'one mill\n' })
    await call('mills list')
    expect(calls).toEqual([
      { args: ['Wye'], options: { limit: 3, old: true, tag: ['a', 'b'], at: undefined } },
      { args: [], options: { limit: undefined, old: false, tag: [], at: undefined } },
    ])
  })

  it('prints JSON with --json, also of what went wrong', async () => {
    expect(JSON.parse((await call('mills list --json')).out)).toEqual({ items: ['one'] })
    const { exit, err } = await call('mills stop x --json')
    expect(exit).toBe(EXIT.conflict)
    expect(JSON.parse(err)).toEqual({
      error: { code: 'conflict', message: 'It has stopped already.', details: ['since Monday'] },
    })
  })

  it('says what went wrong with its details, on stderr', async () => {
    expect(await call('mills stop x')).toEqual({
      exit: EXIT.conflict,
      out: '',
      err: 'error: It has stopped already.\n  since Monday\n',
    })
  })

  it.each([
    ['mils list', 'Did you mean "millrace mills"?'],
    ['mills lost', 'Did you mean "millrace mills list"?'],
    ['mills list --limt 3', 'Did you mean --limit?'],
    ['mills list --zzz', 'See millrace mills list --help.'],
    ['mills list --limit', "'--limit <value>' argument missing"],
    ['mills list --limit many', '--limit takes a whole number from 1, not "many".'],
    ['mills list a b', 'There are too many arguments. Usage: millrace mills list [river] [options]'],
    ['mills stop', 'An argument is missing. Usage: millrace mills stop <mill>'],
    ['mills stop x --server http://x', '"millrace mills stop" has no option --server.'],
    ['xyzzy', '"millrace help" lists them.'],
  ])('refuses "%s" and says how to go on', async (line, advice) => {
    const { exit, err, out } = await call(line)
    expect([exit, out]).toEqual([EXIT.usage, ''])
    expect(err).toContain(advice)
  })

  it('shows the help of everything, of a group and of one command', async () => {
    for (const line of ['', 'help', '--help']) expect((await call(line)).out).toMatch(/mills list +List mills/)
    expect(await call('mills --help')).toMatchObject({ exit: 0, out: expect.stringContaining('mills stop') })
    expect(await call('mills')).toMatchObject({ exit: EXIT.usage, out: expect.stringContaining('mills stop') })
    const { out } = await call('mills list --help')
    for (const part of ['List mills.', '--limit <count>', '--tag <tag>...', '--server <url>', '# all of them'])
      expect(out).toContain(part)
    expect((await call('help mills list')).out).toBe(out)
  })

  it('colours only where a person looks, and not where NO_COLOR is set', async () => {
    const colour = '\u001b['
    expect((await call('mills list --help', { tty: true })).out).toContain(colour)
    expect((await call('mills list --help', { tty: true, noColor: true })).out).not.toContain(colour)
    expect((await call('mills list --help')).out).not.toContain(colour)
  })
})
