// `millrace import …`: requests that are written down elsewhere, as steps. Nothing is sent anywhere.
import { readFileSync } from 'node:fs'
import type { HttpRequestSettings } from '../../flow/curl/http-settings.ts'
import { type NotTaken, parseCurl } from '../../flow/curl/parse-curl.ts'
import { formatFlowYaml } from '../../flow/flow-text.ts'
import { HTTP_STEP } from '../../flow/http-kind.ts'
import { nearest } from '../../flow/issue.ts'
import { importOperation } from '../../flow/openapi/import-operation.ts'
import { findOperation, type OpenApi, OpenApiError, readOpenApi } from '../../flow/openapi/read-openapi.ts'
import { type Context, defineCommand, text } from '../command.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import { table } from '../terminal/table.ts'

const ID = text('id', 'the id of the step')

export const importCurl = defineCommand({
  name: 'import curl',
  summary: 'Turn a curl command into a step',
  args: ['[command]'],
  options: { id: ID },
  connects: false,
  details:
    'The command is one argument, or comes from stdin. The output is YAML for the steps of a flow file; the command also\nlists what it left out, with the reason.',
  examples: [
    ['as an argument', 'millrace import curl "curl https://api.example.com/orders -H \'X-Trace: 7\'"'],
    ['what a browser copied', 'millrace import curl --id orders < copied.txt'],
  ],
  async run(context) {
    const command = context.args[0] ?? (await context.terminal.readStdin()).toString()
    const parsed = parseCurl(command)
    if (!parsed) throw new CliError(EXIT.failed, 'no_curl', 'This is not a curl command.')
    return showStep(context, context.options.id ?? 'request', parsed.settings, parsed.notTaken)
  },
})

export const importOpenApi = defineCommand({
  name: 'import openapi',
  summary: 'Turn an operation of an OpenAPI description into a step, or list its operations',
  args: ['<file>', '[operation]'],
  options: { id: ID },
  connects: false,
  details:
    'The description is OpenAPI 3, JSON or YAML; - is stdin. Name an operation by its operationId, or by method and path.\nThe output is YAML for the steps of a flow file; the command also lists what it left out.',
  examples: [
    ['what there is', 'millrace import openapi shop.yaml'],
    ['by its operationId', 'millrace import openapi shop.yaml createOrder'],
    ['by method and path', "millrace import openapi shop.yaml 'GET /orders/{id}' --id order"],
  ],
  async run(context) {
    const { args, options, show, terminal } = context
    const [file, wanted] = [args[0]!, args[1]]
    const api = read(file, file === '-' ? (await terminal.readStdin()).toString() : readFileSync(file, 'utf8'))
    const { operations } = api
    if (wanted === undefined)
      return show({ operations }, () =>
        table(
          terminal,
          ['METHOD', 'PATH', 'OPERATION', 'SUMMARY'],
          operations.map(({ method, path, operationId, summary }) => [method, path, operationId ?? '', summary ?? '']),
        ),
      )
    const operation = findOperation(api, wanted)
    if (!operation) {
      const near = nearest(
        wanted,
        operations.flatMap(({ name, operationId }) => (operationId ? [operationId, name] : [name])),
      )
      throw new CliError(
        EXIT.notFound,
        'no_operation',
        `${file} has no operation "${wanted}"${near ? ` (did you mean "${near}"?)` : ''}; leave it out to list them.`,
      )
    }
    const { id, settings, notTaken } = importOperation(api, operation)
    return showStep(context, options.id ?? id, settings, notTaken, operation.summary)
  },
})

function read(file: string, content: string): OpenApi {
  try {
    return readOpenApi(content)
  } catch (error) {
    if (!(error instanceof OpenApiError)) throw error
    throw new CliError(EXIT.failed, 'openapi_unreadable', `${file}: ${error.message}`)
  }
}

function showStep(
  { showDocument, note }: Pick<Context<unknown>, 'showDocument' | 'note'>,
  id: string,
  settings: HttpRequestSettings,
  notTaken: readonly NotTaken[],
  name: string | null = null,
): ExitCode {
  const step = { id, ...HTTP_STEP, ...(name ? { name: name.slice(0, 200) } : {}), ...settings }
  if (notTaken.length) note('Left out:')
  for (const { what, reason } of notTaken) note(`  ${what}: ${reason}`)
  return showDocument({ step, notTaken }, () => formatFlowYaml([step]).trimEnd())
}
