import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fields, table } from './table.ts'
import { Terminal } from './terminal.ts'

function open({ tty = true, columns = 80, noColor = true } = {}) {
  const make = () => Object.assign(new PassThrough(), { isTTY: tty, columns })
  const streams = { stdin: Object.assign(make(), { raw: [] as boolean[] }), stdout: make(), stderr: make() }
  Object.assign(streams.stdin, { setRawMode: (raw: boolean) => streams.stdin.raw.push(raw) })
  return { ...streams, terminal: new Terminal(streams, { noColor }) }
}

describe('a terminal', () => {
  it.each([
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['no\n', false],
  ])('takes the answer %j for %s', async (answer, expected) => {
    const { terminal, stdin, stderr } = open()
    const asked = terminal.confirm('Sure?')
    stdin.write(answer)
    expect(await asked).toBe(expected)
    expect(String(stderr.read())).toContain('Sure? [y/N] ')
  })

  const HOSTILE = 'a\u001b]0;title\u0007\u001b[2J\u001b[31mb\u009b2Jc\u202ed\r\u0008e\u007f'
  const SHOWN = 'a␛]0;title␇␛[2J␛[31mb\ufffd2Jc\ufffdd␍␈e␡'

  it.each([true, false])('shows what would be orders to it, and obeys none; with somebody there: %s', (tty) => {
    const { terminal, stdout, stderr } = open({ tty, noColor: false })
    terminal.out(`line 1\n\t${HOSTILE}`)
    terminal.err(HOSTILE)
    expect(String(stdout.read())).toBe(`line 1\n\t${SHOWN}\n`)
    expect(String(stderr.read())).toBe(`${SHOWN}\n`)
  })

  it('keeps its own colours, also around what others wrote', () => {
    const { terminal, stdout } = open({ noColor: false })
    terminal.out(`${terminal.style('green', HOSTILE)} ${terminal.style('bold', terminal.style('red', 'x'))}`)
    expect(String(stdout.read())).toBe(`\u001b[32m${SHOWN}\u001b[39m \u001b[1m\u001b[31mx\u001b[39m\u001b[22m\n`)
  })

  it('gives a document to a file as it is, and shows it to people', () => {
    const [file, person] = [open({ tty: false }), open()]
    for (const { terminal } of [file, person]) terminal.outDocument(HOSTILE)
    expect(String(file.stdout.read())).toBe(`${HOSTILE}\n`)
    expect(String(person.stdout.read())).toBe(`${SHOWN}\n`)
  })

  it('asks nobody where nobody sits', async () => {
    const { terminal } = open({ tty: false })
    expect(await terminal.confirm('Sure?')).toBe(false)
  })

  it('reads a secret without showing it, key by key, and mends typing errors', async () => {
    const { terminal, stdin, stdout, stderr } = open()
    const asked = terminal.askSecret('token')
    for (const typed of ['s', 'ecreX', '\u007f', 't', '\r']) stdin.write(typed)
    expect(await asked).toBe('secret')
    expect(stdin.raw).toEqual([true, false])
    expect(String(stderr.read())).toBe('token: \n')
    expect(stdout.read()).toBeNull()
  })

  it('leaves off a secret at Ctrl+C', async () => {
    const { terminal, stdin } = open()
    const asked = terminal.askSecret('token')
    stdin.write('sec\u0003')
    await expect(asked).rejects.toThrow('Interrupted')
    expect(stdin.raw).toEqual([true, false])
  })
})

it('has one line for each row of a table, whatever stands in a cell', () => {
  const { terminal } = open()
  expect(table(terminal, ['ID', 'NAME'], [['1', 'a\nflow_2  b']])).toBe('ID  NAME\n1   a␊flow_2  b')
  expect(fields(terminal, [['name', 'a\nid  flow_2']])).toBe('name  a␊id  flow_2')
})

it('lines up a table, and shortens its last column to the width of the terminal', () => {
  const rows = [
    ['flow_1', 'draft', 'A name that is much too long for this'],
    ['flow_22', 'live v1', 'Short'],
  ]
  const narrow = table(open({ columns: 40 }).terminal, ['ID', 'STATE', 'NAME'], rows)
  expect(narrow.split('\n')).toEqual([
    'ID       STATE    NAME',
    'flow_1   draft    A name that is much t…',
    'flow_22  live v1  Short',
  ])
  expect(table(open({ columns: 200 }).terminal, ['ID', 'STATE', 'NAME'], rows)).toContain('too long for this')
})
