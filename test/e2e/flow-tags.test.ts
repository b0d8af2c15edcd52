// Tests the tags of flows: docs/flows.md, and the filters of the API, the CLI and MCP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { documentOf, expectIssues, type Managed, startManaged } from '../harness/management.ts'
import { assist } from '../harness/mcp.ts'
import { TOKEN } from '../harness/millrace.ts'

let managed: Managed
let api: Managed['api']
const tagged = (name: string, tags: unknown) => ({ ...documentOf([], {}, name), tags })
const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

beforeAll(async () => {
  managed = await startManaged()
  ;({ api } = managed)
  await api('POST', '/flows', tagged('Invoices', ['billing', 'EU "north"']))
  await api('POST', '/flows', tagged('Refunds', ['billing']))
  // The text of a tag elsewhere in the document does not make it one.
  await api('POST', '/flows', documentOf([{ id: 'say', kind: 'set', vars: { team: 'billing' } }], {}, 'billing'))
})
afterAll(() => managed.stop())

describe('tags', () => {
  it('are part of the document, and stand beside the draft', async () => {
    const { body } = await api('POST', '/flows', tagged('Kept', ['a b']))
    expect(body).toMatchObject({ tags: ['a b'], trigger: 'webhook', draft: { tags: ['a b'] } })
    expect((await api('POST', '/flows', documentOf())).body.tags).toEqual([])
  })

  it('narrow the list, whole and as they are spelled', async () => {
    const listed = async (tag: string) => namesOf((await api('GET', `/flows?tag=${encodeURIComponent(tag)}`)).body)
    expect(await listed('billing')).toEqual(['Refunds', 'Invoices'])
    expect(await listed('EU "north"')).toEqual(['Invoices'])
    for (const other of ['Billing', 'bill', '%', 'x\u0000']) expect(await listed(other)).toEqual([])
  })

  it('narrow the list page by page', async () => {
    const first = (await api('GET', '/flows?tag=billing&limit=1')).body
    expect(namesOf(first)).toEqual(['Refunds'])
    const second = (await api('GET', `/flows?tag=billing&limit=1&cursor=${first.nextCursor}`)).body
    expect(namesOf(second)).toEqual(['Invoices'])
    expect(second.nextCursor).toBeNull()
  })

  it('can be read without the drafts', async () => {
    const { body } = await api('GET', '/flows?tag=billing&draft=false')
    expect(body.items[0]).toMatchObject({ name: 'Refunds', tags: ['billing'], trigger: 'webhook' })
    expect(body.items[0]).not.toHaveProperty('draft')
  })

  it('narrow the lists of the command line and of assistants', async () => {
    const env = { MILLRACE_BASE_URL: managed.millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const listed = await callCli(['flows', 'list', '--tag', 'billing', '--search', 'inv', '--json'], { env })
    expect(namesOf(listed.json())).toEqual(['Invoices'])
    const assistant = await assist(managed.millrace.url, TOKEN)
    const { body } = await assistant.call('list_flows', { tag: 'billing' })
    expect(namesOf(body)).toEqual(['Refunds', 'Invoices'])
    expect(body.items[0]).not.toHaveProperty('draft')
    await assistant.client.close()
  })

  it('are at most 20, of 1 to 40 characters', async () => {
    expectIssues(await api('POST', '/flows', tagged('Wrong', 'billing')), [['/tags', 'wrong_type']])
    expectIssues(await api('POST', '/flows', tagged('Wrong', [7])), [['/tags/0', 'wrong_type']])
    const draft = (await api('POST', '/flows', tagged('Long', ['x'.repeat(41), '', ' a']))).body
    expectIssues(await api('POST', `/flows/${draft.id}/publish`), [
      ['/tags/0', 'too_long'],
      ['/tags/1', 'empty'],
      ['/tags/2', 'invalid_format'],
    ])
    const many = Array.from({ length: 21 }, (_, i) => `t${i}`)
    const full = (await api('POST', '/flows', tagged('Many', many))).body
    expectIssues(await api('POST', `/flows/${full.id}/publish`), [['/tags', 'too_long']])
    await api('PUT', `/flows/${full.id}`, tagged('Many', many.slice(1)))
    expect((await api('POST', `/flows/${full.id}/publish`)).status).toBe(200)
  })
})
