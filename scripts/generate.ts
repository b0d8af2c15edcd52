// Writes the files that are made from the code, and the foot of the guide's pages. Run it after a change of a command, of a
// step kind, of the access table or of the guide's order. Tests compare the files with its output.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { senderFiles } from '../src/app/senders/sender-files.ts'
import { commands } from '../src/cli/commands/index.ts'
import { reference } from '../src/cli/reference.ts'
import { fixtureSchema } from '../src/flow/fixture.ts'
import { editorSchema, flowSchema } from '../src/flow/flow-schema.ts'
import { senderSchema } from '../src/flow/senders/schema.ts'
import { stepKinds } from '../src/steps/index.ts'
import { forgeryTable } from '../test/senders/forgery-table.testkit.ts'
import { withAccessTable } from './access-page.ts'
import { guidePages, withFoot } from './guide.ts'
import { withTables } from './senders-page.ts'

const root = resolve(import.meta.dirname, '..')

const page = join(root, 'docs/cli.md')
const [written] = readFileSync(page, 'utf8').split('<!-- generated from here -->')
writeFileSync(page, `${written}<!-- generated from here -->\n\n${reference(commands)}`)

const schemas = {
  'docs/flow.schema.json': editorSchema(flowSchema(stepKinds)),
  'docs/flow-test.schema.json': fixtureSchema(),
  'senders/sender.schema.json': senderSchema(),
}
for (const [file, schema] of Object.entries(schemas))
  writeFileSync(join(root, file), `${JSON.stringify(schema, null, 2)}\n`)

const sendersPage = join(root, 'docs/senders.md')
const senders = senderFiles.names().map((name) => senderFiles.find(name)!)
writeFileSync(sendersPage, withTables(readFileSync(sendersPage, 'utf8'), senders, forgeryTable(senderFiles.names())))

const accessPage = join(root, 'docs/access.md')
writeFileSync(accessPage, withAccessTable(readFileSync(accessPage, 'utf8')))

const pages = guidePages(readFileSync(join(root, 'docs/README.md'), 'utf8'))
for (const { file } of pages) {
  const path = join(root, 'docs', file)
  writeFileSync(path, withFoot(readFileSync(path, 'utf8'), file, pages))
}
