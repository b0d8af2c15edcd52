import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { table } from './table.ts'
import { Terminal } from './terminal.ts'

function open({ tty = true, columns = 80 } = {}) {
  const make = () => Object.assign(new PassThrough(), { isTTY: tty, columns })
  const streams = { stdin: Object.assign(make(), { raw: [] as boolean[] }), stdout: make(), stderr: make() }
  Object.assign(streams.stdin, { setRawMode: (raw: boolean) => streams.stdin.raw.push(raw) })
  return { ...streams, terminal: new Terminal(streams, { noColor: true }) }
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
