// Tests a folder of files as the source of flows: applied, compared, and never over the edits of another user.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FlowView } from '../../src/operations/flows/flow-view.ts'
import { type CliResult, callCli } from '../harness/cli.ts'
import { expectFailure } from '../harness/inbox.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
let folder: string
let cases = 0
const base = temporaryFolder()

beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(async () => {
  await millrace.stop()
  rmSync(base, { recursive: true })
})
// Each test has its own folder, and so its own source.
beforeEach(() => {
  folder = join(base, `flows-${++cases}`)
  mkdirSync(folder)
})

const cli = (...args: string[]): Promise<CliResult> =>
  callCli(args, { env: { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN } })
const apply = (...options: string[]) => cli('flows', 'apply', folder, '--yes', ...options)

const name = (which: string) => `${which} ${cases}`
const flowText = (which: string, greeting = 'hello') =>
  `name: ${name(which)}\ntrigger:\n  kind: webhook\nsteps:\n  - id: greet\n    kind: set\n    vars:\n      greeting: ${greeting}\n`
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)

async function flowOf(which: string): Promise<FlowView> {
  const { items } = (await millrace.api('GET', `/flows?q=${encodeURIComponent(name(which))}`)).body
  expect(items).toHaveLength(1)
  return items[0]
}

describe('flows apply', () => {
  it('creates, changes and leaves alone, and does nothing the second time', async () => {
    mkdirSync(join(folder, 'shop'))
    write('shop/orders.yaml', flowText('Orders'))
    write('hello.yml', flowText('Hello'))
    write('hello.test.yaml', 'deliver: {}\n')
    write('notes.txt', 'no flow')
    const first = await apply('--json')
    expect(first.exit).toBe(0)
    expect(first.json()).toMatchObject({
      source: `flows-${cases}`,
      flows: [
        { path: 'hello.yml', action: 'create', name: name('Hello'), version: null },
        { path: 'shop/orders.yaml', action: 'create', name: name('Orders'), version: null },
      ],
    })
    const before = await flowOf('Orders')
    expect(before).toMatchObject({ revision: 1, published: null })

    const second = await apply()
    expect(second).toMatchObject({ exit: 0, stdout: '= 2 flows unchanged\nNothing to do.\n' })
    // A comment, the order of keys and the format do not count.
    write('shop/orders.yaml', `# what a shop needs\n${flowText('Orders')}`)
    expect((await apply()).stdout).toContain('Nothing to do.')
    expect((await flowOf('Orders')).revision).toBe(1)

    write('shop/orders.yaml', flowText('Orders', 'good morning'))
    const third = await apply()
    expect(third.exit).toBe(0)
    expect(third.stdout).toContain(`~ change  shop/orders.yaml  ${name('Orders')}\n`)
    expect(third.stdout).toMatch(/^ +- +greeting: hello\n +\+ +greeting: good morning$/m)
    expect(await flowOf('Orders')).toMatchObject({
      id: before.id,
      revision: 2,
      webhook: before.webhook,
      draft: { steps: [{ vars: { greeting: 'good morning' } }] },
    })
  })

  it('publishes what is not live yet, and no version twice', async () => {
    write('a.yaml', flowText('Live'))
    await apply()
    const published = await apply('--publish')
    expect(published.stderr).toMatch(/published a\.yaml .* live as version 1: http/)
    expect((await flowOf('Live')).published?.version).toBe(1)
    expect((await apply('--publish')).stdout).toContain('Nothing to do.')
    write('a.yaml', flowText('Live', 'good evening'))
    expect((await apply('--publish', '--json')).json().flows).toMatchObject([{ action: 'change', version: 2 }])
    await millrace.api('POST', `/flows/${(await flowOf('Live')).id}/unpublish`)
    expect((await apply('--publish', '--json')).json().flows).toMatchObject([{ action: 'unchanged', version: 2 }])
  })

  it('does not overwrite what was edited elsewhere, unless it is told to', async () => {
    write('a.yaml', flowText('Edited'))
    await apply()
    const { id } = await flowOf('Edited')
    const edited = documentOf([{ id: 'greet', kind: 'set', vars: { greeting: 'by hand' } }], {}, name('Edited'))
    await millrace.api('PUT', `/flows/${id}`, edited)

    const refused = await apply()
    expect(refused.exit).toBe(4)
    expect(refused.stdout).toContain(
      `! drift  a.yaml  ${name('Edited')} (edited on the server: revision 2, applied at 1)`,
    )
    expect(refused.stdout).toMatch(/^ +- +greeting: by hand\n +\+ +greeting: hello$/m)
    expect(refused.stderr).toContain('overwrite them with --force')
    expect((await flowOf('Edited')).revision).toBe(2)
    expect(await cli('flows', 'diff', folder)).toMatchObject({ exit: 4 })

    // Once the file has the same content, applying it loses no edit.
    write('a.yaml', flowText('Edited', 'by hand'))
    expect(await apply()).toMatchObject({ exit: 0, stdout: expect.stringContaining('Nothing to do.') })
    write('a.yaml', flowText('Edited', 'from the file'))
    expect((await apply()).exit).toBe(0)

    await millrace.api('PUT', `/flows/${id}`, edited)
    expect((await apply('--force')).exit).toBe(0)
    expect((await flowOf('Edited')).draft).toMatchObject({ steps: [{ vars: { greeting: 'from the file' } }] })
  })

  it('deletes only with --prune, only its own, and knows a file that was renamed', async () => {
    write('a.yaml', flowText('Kept'))
    write('b.yaml', flowText('Gone'))
    await apply()
    await millrace.api('POST', '/flows', documentOf([], {}, name('By hand')))
    const kept = await flowOf('Kept')
    renameSync(join(folder, 'a.yaml'), join(folder, 'renamed.yaml'))
    rmSync(join(folder, 'b.yaml'))

    const left = await apply()
    expect(left.stdout).toContain(`> move  renamed.yaml  ${name('Kept')} (was a.yaml)`)
    expect(left.stdout).toContain(`? left  b.yaml  ${name('Gone')} (its file no longer exists; --prune deletes it)`)
    expect((await flowOf('Kept')).id).toBe(kept.id)
    await flowOf('Gone')

    expect((await apply('--prune')).stdout).toContain(`- delete  b.yaml  ${name('Gone')}`)
    expect((await millrace.api('GET', `/flows?q=${encodeURIComponent(name('Gone'))}`)).body.items).toEqual([])
    await flowOf('By hand')
    expect((await apply('--prune')).stdout).toContain('Nothing to do.')
  })

  it('asks before it takes over a flow that was made by hand', async () => {
    await millrace.api('POST', '/flows', documentOf([], {}, name('Namesake')))
    write('a.yaml', flowText('Namesake'))
    const refused = await apply()
    expect(refused).toMatchObject({ exit: 4, stderr: expect.stringContaining('did not come from these files') })
    expect((await apply('--adopt', '--json')).json().flows).toMatchObject([{ action: 'change' }])
    expect(await flowOf('Namesake')).toMatchObject({ revision: 2 })
    expect((await apply()).stdout).toContain('Nothing to do.')
  })

  it('changes nothing where one of the files cannot be used', async () => {
    write('a.yaml', flowText('Sound'))
    const none = async () =>
      expect((await millrace.api('GET', `/flows?q=${encodeURIComponent(name('Sound'))}`)).body.items).toEqual([])
    write('b.yaml', 'name: Bad\ntrigger: { kind: webhook }\nsteps: [{ id: a, kind: htp }]\n')
    expect(await apply()).toMatchObject({ exit: 1, stderr: expect.stringContaining('b.yaml /steps/0/kind: ') })
    await none()
    write('b.yaml', 'name: Bad\n  steps: [')
    expect(await apply()).toMatchObject({ exit: 1, stderr: expect.stringMatching(/b\.yaml, line \d+: /) })
    await none()
    write(
      'b.yaml',
      `name: ${name('Unfinished')}\ntrigger: { kind: webhook }\nsteps: [{ id: a, kind: http, method: GET }]\n`,
    )
    expect(await apply('--publish')).toMatchObject({ exit: 1, stderr: expect.stringContaining('/steps/0/url') })
    await none()
    // A draft need not be complete.
    expect(await apply()).toMatchObject({ exit: 0, stdout: expect.stringContaining('warning /steps/0/url') })
  })

  it('wants a word of consent: --yes where nobody can be asked', async () => {
    write('a.yaml', flowText('Asked'))
    const refused = await cli('flows', 'apply', folder)
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('Use --yes') })
    expect(refused.stdout).toContain('+ create  a.yaml')
    expect(await cli('flows', 'diff', folder, '--json')).toMatchObject({ exit: 4 })
  })

  it('keeps typed secrets out of its output, and sealed ones in their flow', async () => {
    const guarded = (key: string) =>
      `name: ${name('Guarded')}\ntrigger:\n  kind: webhook\n  auth: { kind: header, name: X-Key, value: ${key} }\nsteps: []\n`
    write('a.yaml', flowText('Guarded'))
    await apply()
    write('a.yaml', guarded('a-typed-secret'))
    const typed = await apply()
    expect(typed.exit).toBe(0)
    expect(typed.stdout).toContain('(a secret typed into the file)')
    expect(typed.stdout).toContain('env or connections keep secrets out of files')
    expect(typed.stdout + typed.stderr).not.toContain('a-typed-secret')
    expect((await apply()).stdout).toContain('Nothing to do.')

    const exported = await cli('flows', 'export', name('Guarded'), '--output', join(folder, 'a.yaml'))
    expect(exported.exit).toBe(0)
    expect((await apply()).stdout).toContain('Nothing to do.')
    const { draft } = await flowOf('Guarded')
    const { value } = (draft as { trigger: { auth: { value: string } } }).trigger.auth
    write('b.yaml', guarded(value).replace(name('Guarded'), name('Copied')))
    expect(await apply()).toMatchObject({ exit: 1, stderr: expect.stringContaining('b.yaml holds sealed:… values') })
  })

  it('applies a single file of a folder, and several folders beside one another', async () => {
    write('a.yaml', flowText('One'))
    write('b.yaml', flowText('Two'))
    const one = join(folder, 'a.yaml')
    expect((await cli('flows', 'apply', one, '--yes', '--json')).json().flows).toMatchObject([{ path: 'a.yaml' }])
    expect((await cli('flows', 'apply', one, '--yes', '--prune')).exit).toBe(2)
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'c.yaml'), flowText('Three'))
    expect((await cli('flows', 'apply', other, '--yes', '--prune', '--source', `other ${cases}`)).exit).toBe(0)
    await flowOf('One')
  })
})

describe('the sources of flows', () => {
  it('are kept for flows that there are, up to the revision that there is', async () => {
    const flow = (await millrace.api('POST', '/flows', documentOf([], {}, name('Source')))).body
    const source = { source: 'repo', path: 'a.yaml', revision: 1 }
    expect((await millrace.api('PUT', `/flows/${flow.id}/source`, source)).body).toEqual({ flowId: flow.id, ...source })
    expectFailure(
      await millrace.api('PUT', `/flows/${flow.id}/source`, { ...source, revision: 2 }),
      400,
      'invalid_request',
    )
    expectFailure(await millrace.api('PUT', '/flows/flow_none/source', source), 404, 'not_found')
    const listed = async () => (await millrace.api('GET', '/flow-sources?source=repo')).body.items
    expect(await listed()).toEqual([{ flowId: flow.id, ...source }])
    // A file is the source of one flow only.
    const other = (await millrace.api('POST', '/flows', documentOf([], {}, name('Other source')))).body
    await millrace.api('PUT', `/flows/${other.id}/source`, source)
    expect(await listed()).toEqual([{ flowId: other.id, ...source }])
    await millrace.api('DELETE', `/flows/${other.id}`)
    expect(await listed()).toEqual([])
  })
})
