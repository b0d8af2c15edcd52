// Writes the table of docs/senders.md: what the tests try with each sender.
import { FORGERIES } from './forgeries.testkit.ts'
import { PACKAGES } from './packages.testkit.ts'
import { senderNamed } from './sender-named.testkit.ts'
import { VECTORS } from './vectors.testkit.ts'
import type { Lack } from './vendor.testkit.ts'
import { VENDORS } from './vendors.testkit.ts'

const LETTERS: Record<Lack, string> = { body: 'b', time: 't', header: 'h', prefix: 'p', signature: 's' }

export function forgeryTable(names: readonly string[]): string {
  const head = ['Sender', 'Genuine requests are by', ...FORGERIES.map((_, i) => String(i + 1))]
  const rows = names.map((name) => {
    const { lacks } = VENDORS[name]!
    const cells = FORGERIES.map(({ needs }) => {
      const lack = needs.find((need) => lacks.includes(need))
      return lack ? LETTERS[lack] : '✓'
    })
    return [senderNamed(name).title, madeBy(name), ...cells]
  })
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Says who signs the genuine requests of the tests. */
function madeBy(name: string): string {
  const vectors = VECTORS.filter(({ sender }) => sender === name).map(({ by }) => by)
  const own = PACKAGES[name]
  return [...new Set([own ? `\`${own.name}\`` : 'the tests', ...vectors])].join('; ')
}
