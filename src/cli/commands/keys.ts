// `millrace keys …`: the keys that seal secrets, and sealing everything with the newest.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { table } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface Keys {
  current: string
  keys: { id: string; sealed: number; given: boolean }[]
  rotation: { status: 'idle' | 'running' | 'failed'; done: number; total: number; error: string | null }
}

const POLL_MS = 500

export const listKeys = defineCommand({
  name: 'keys list',
  summary: 'Show which keys seal secrets, and how many are sealed with each',
  details: 'The ids of keys reveal nothing about the keys.',
  examples: [['is the old key still needed?', 'millrace keys list']],
  async run({ connect, show, terminal }) {
    const keys = await (await connect()).get<Keys>('/keys')
    return show(keys, () => describe(terminal, keys))
  },
})

export const rotateKeys = defineCommand({
  name: 'keys rotate',
  summary: 'Seal every secret again with the first key of MILLRACE_SECRET_KEY',
  details: 'Flows continue to run. You can interrupt the command at any time and start it again.',
  examples: [['after a new key was put first', 'millrace keys rotate']],
  async run({ connect, show, note, terminal }) {
    const api = await connect()
    let keys = await api.call<Keys>('POST', '/keys/rotate')
    while (keys.rotation.status === 'running') {
      note(`${keys.rotation.done} of ${keys.rotation.total} …`)
      await sleep(POLL_MS)
      keys = await api.get<Keys>('/keys')
    }
    show(keys, () => describe(terminal, keys))
    if (keys.rotation.status === 'failed')
      throw new CliError(EXIT.failed, 'rotation_failed', `The rotation failed: ${keys.rotation.error}`)
    return EXIT.ok
  },
})

function describe(terminal: Terminal, { current, keys }: Keys): string {
  const roleOf = ({ id, given }: Keys['keys'][number]) => (id === current ? 'seals' : given ? 'opens' : 'not given')
  const old = keys.filter(({ id, given }) => given && id !== current)
  return [
    table(
      terminal,
      ['KEY', 'ROLE', 'SEALED'],
      keys.map((key) => [key.id, roleOf(key), String(key.sealed)]),
    ),
    ...old.map(({ id, sealed }) =>
      sealed === 0 ? `Key ${id} can be removed from MILLRACE_SECRET_KEY.` : `Key ${id} is still needed.`,
    ),
  ].join('\n')
}
