// `millrace approvals …`: what people are asked, and their answers.
import { defineCommand, list, number } from '../../command.ts'
import { usageError } from '../../exit-code.ts'
import { showTime } from '../../terminal/show-time.ts'
import { table } from '../../terminal/table.ts'

interface Approval {
  id: string
  run: string
  flow: { id: string; name: string }
  title: string
  answers: string[]
  expiresAt: string
}

export const listApprovals = defineCommand({
  name: 'approvals list',
  summary: 'List the approvals that runs wait for, the oldest first',
  options: { limit: number('count', 'how many at most; 20 by default') },
  examples: [['what waits for an answer', 'millrace approvals list']],
  async run({ connect, options, show, terminal }) {
    const items = await (await connect()).list<Approval>('/approvals?', options.limit ?? 20)
    return show({ items }, () =>
      items.length === 0
        ? 'Nothing waits for an answer.'
        : table(
            terminal,
            ['ID', 'FLOW', 'QUESTION', 'ANSWERS', 'UNTIL', 'RUN'],
            items.map((one) => [
              one.id,
              one.flow.name,
              one.title,
              one.answers.join(', '),
              showTime(one.expiresAt),
              one.run,
            ]),
          ),
    )
  },
})

export const answerApproval = defineCommand({
  name: 'approvals answer',
  summary: 'Answer an approval; the run goes on with the answer',
  args: ['<approval>', '<answer>'],
  options: { field: list('name=value', 'what a field is filled in with; true, false and numbers count as such') },
  examples: [['say yes, and why', "millrace approvals answer cbk_01m7… approve --field 'reason=as agreed'"]],
  async run({ connect, args, options, show }) {
    const [id, answer] = args as [string, string]
    const fields = Object.fromEntries((options.field ?? []).map(fieldOf))
    const api = await connect()
    const body = { answer, fields }
    const answered = await api.call<{ run: string; answer: string }>('POST', `/approvals/${encodeURIComponent(id)}`, {
      body,
    })
    return show(answered, () => `Answered ${answered.answer}; ${answered.run} goes on.`)
  },
})

function fieldOf(given: string): [name: string, value: unknown] {
  const at = given.indexOf('=')
  if (at < 1) throw usageError(`--field needs a name and a value, such as reason=late: ${given}`)
  const text = given.slice(at + 1)
  const isPlain = text === 'true' || text === 'false' || /^-?\d+(\.\d+)?$/.test(text)
  return [given.slice(0, at), isPlain ? JSON.parse(text) : text]
}
