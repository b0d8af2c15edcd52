import { describe, expect, it } from 'vitest'
import { optionsOf } from '../help.ts'
import { commands } from './index.ts'

/** The calls of `millrace` in a line for a shell, as words. */
function callsIn(line: string): string[][] {
  const calls = line.split(/\||&&|>|\$\(/).filter((part) => /(^|\s)(millrace|xargs -n1 millrace) /.test(part))
  return calls.map((part) => {
    const words = part.match(/'[^']*'|"[^"]*"|[^\s'"]+/g)!
    return words.slice(words.indexOf('millrace') + 1)
  })
}

describe('the command table', () => {
  it('has no name twice, and nothing that hides what comes after it', () => {
    const names = commands.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(names.filter((other) => other.startsWith(`${name} `))).toEqual([])
  })

  it.each(commands.map((command) => [command.name, command] as const))(
    '"%s" has a summary, and examples that it understands',
    (name, command) => {
      expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
      expect(command.examples.length).toBeGreaterThan(0)
      const own = command.examples.flatMap(({ line }) => callsIn(line))
      expect(own.some((words) => words.slice(0, name.split(' ').length).join(' ') === name)).toBe(true)
      for (const words of own) {
        const called = commands.find((other) => words.join(' ').startsWith(other.name))
        expect(called, words.join(' ')).toBeDefined()
        const known = Object.keys(optionsOf(called!))
        const used = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')[0]!)
        expect(used.filter((option) => !known.includes(option))).toEqual([])
      }
    },
  )
})
