// `millrace flows run`: starts a run of a flow that is called or has a schedule.
import { readFileSync } from 'node:fs'
import type { Static } from 'typebox'
import type { EndedRunBody } from '../../contract/run-bodies.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { findFlow } from '../client/find-flow.ts'
import { defineCommand, number, text } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'

export const runFlow = defineCommand({
  name: 'flows run',
  summary: 'Start a run of a published flow that is called or has a schedule',
  args: ['<flow>'],
  options: {
    input: text('JSON|@file', 'what the flow reads as input; without it null, or the input of its schedule'),
    wait: number('seconds', 'wait so long for the result, at most 300'),
  },
  details: 'With --wait the exit code is 1 if the run failed.',
  examples: [
    ['start it, and go on', `millrace flows run bill-an-order --input '{"order": "A-1001"}'`],
    ['wait for the result', `millrace flows run bill-an-order --input '{"order": "A-1002"}' --wait 20`],
  ],
  async run({ connect, args, options, show }) {
    const body = options.input === undefined ? {} : { input: inputFrom(options.input) }
    const api = await connect()
    const flow = await findFlow(api, args[0]!)
    const query = options.wait === undefined ? '' : `?wait=${options.wait}`
    const run = await api.call<Static<typeof EndedRunBody>>('POST', `/flows/${flow.id}/runs${query}`, { body })
    show(run, () => {
      if ('result' in run) return JSON.stringify(run.result, null, 2)
      return run.error ? `${run.id} ${run.status}: ${run.error.message}` : `${run.id} ${run.status}`
    })
    return run.status === 'failed' || run.status === 'cancelled' ? EXIT.failed : EXIT.ok
  },
})

function inputFrom(given: string): unknown {
  const content = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given
  try {
    return parseJson(content)
  } catch {
    throw new CliError(EXIT.failed, 'invalid_json', 'The input is not JSON; text needs quotes: --input \'"text"\'.')
  }
}
