// Tests the forms of connections that sign requests, and how a step names a connection of any kind.
import { generateKeyPairSync } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

let ui: Ui
let page: Page
beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const read = async (name: string) => (await ui.millrace.api('GET', `/connections/${name}`)).body

async function begin(kind: RegExp, name: string): Promise<void> {
  await page.goto('/connections/-new')
  await page.getByRole('radio', { name: kind }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
}

async function create(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create connection' }).click()
  await page.waitForURL(`**/connections/${name}`)
}

describe('the form of a connection', () => {
  it('asks for a user name and a password by Digest', async () => {
    await begin(/^Digest/, 'bank')
    await page.getByRole('textbox', { name: 'User name' }).fill('ada')
    await page.getByRole('textbox', { name: 'Password' }).fill('s3cret-word')
    await expectAccessible(page)
    await create('bank')
    expect(await read('bank')).toMatchObject({
      kind: 'digest',
      fields: { username: 'ada' },
      secretFields: ['password'],
    })
    await page.getByText('kind: connection', { exact: false }).waitFor()
  })

  it('asks for keys, region and service of AWS', async () => {
    await begin(/^AWS/, 'archive')
    await page.getByRole('textbox', { name: 'Access key ID' }).fill('AKIDEXAMPLE')
    await page.getByRole('textbox', { name: 'Secret access key' }).fill('s3cret-key')
    await page.getByRole('textbox', { name: 'Region' }).fill('eu-central-1')
    await page.getByRole('textbox', { name: 'Service' }).fill('s3')
    await expectAccessible(page)
    await create('archive')
    expect(await read('archive')).toMatchObject({
      kind: 'aws',
      fields: { accessKeyId: 'AKIDEXAMPLE', region: 'eu-central-1', service: 's3' },
      secretFields: ['secretAccessKey'],
    })
  })

  it('takes a key of several lines and claims in JSON, and says what is wrong with them', async () => {
    await begin(/^JWT/, 'robot')
    const claims = page.getByRole('textbox', { name: 'Claims' })
    await page.getByRole('textbox', { name: 'Private key' }).fill(PEM)
    await claims.fill('{ "iss": "me" ')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('Private key does not fit RS256, which needs an RSA key').waitFor()
    await page.getByText(/Claims must be an object/).waitFor()
    await page.getByRole('combobox', { name: 'Algorithm' }).click()
    await page.getByRole('option', { name: 'ES256' }).click()
    await claims.fill('{ "iss": "me", "scope": ["a", "b"] }')
    await expectAccessible(page)
    await create('robot')
    expect(await read('robot')).toMatchObject({
      kind: 'jwt',
      fields: { algorithm: 'ES256', claims: { iss: 'me', scope: ['a', 'b'] } },
      secretFields: ['privateKey'],
    })
    expect(JSON.parse(await claims.inputValue())).toEqual({ iss: 'me', scope: ['a', 'b'] })
    await page.getByRole('textbox', { name: 'Key ID' }).fill('key-1')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await read('robot')).fields, { timeout: 20_000 }).toMatchObject({ keyId: 'key-1' })
  })
})

it('a connection for some flows says so in its form, and is not offered in other flows', async () => {
  const steps = [{ id: 'call', kind: 'http', method: 'GET', url: 'https://bank.example.com/accounts' }]
  const flow = { name: 'Invoices', trigger: { kind: 'webhook' }, steps }
  const { id } = (await ui.millrace.api('POST', '/flows', flow)).body
  for (const name of ['for_all', 'for_some'])
    await ui.millrace.api('POST', '/connections', { name, kind: 'bearer', fields: { token: 'x' } })
  await page.goto('/connections/for_some')
  await page.getByRole('combobox', { name: 'Only flows with one of these tags' }).fill('billing')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await ui.millrace.api('GET', '/connections/for_some')).body.tags, { timeout: 20_000 })
    .toEqual(['billing'])
  await expectAccessible(page)

  const offered = async () => {
    await page.goto(`/flows/${id}?step=call`)
    await page.getByRole('tab', { name: 'Auth' }).click()
    await page.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'A connection of any kind' }).click()
    await page.getByRole('combobox', { name: 'Connection', exact: true }).click()
    await page.getByRole('option', { name: /^for_all / }).waitFor()
    return page.getByRole('option', { name: /^for_some / }).count()
  }
  expect(await offered()).toBe(0)
  await page.goto('/connections/for_some')
  await page.getByRole('combobox', { name: 'Only these flows' }).click()
  await page.getByRole('option', { name: 'Invoices' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await ui.millrace.api('GET', '/connections/for_some')).body.flows, { timeout: 20_000 })
    .toEqual([id])
  expect(await offered()).toBe(1)
})

it('a step names a connection of any kind, or makes one in place', async () => {
  const steps = [{ id: 'call', kind: 'http', method: 'GET', url: 'https://bank.example.com/accounts' }]
  const flow = { name: 'Accounts', trigger: { kind: 'webhook' }, steps }
  const { id } = (await ui.millrace.api('POST', '/flows', flow)).body
  const auth = async () => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft.steps[0].auth
  await page.goto(`/flows/${id}?step=call`)
  await page.getByRole('tab', { name: 'Auth' }).click()
  await page.getByRole('combobox', { name: 'Authentication' }).click()
  await page.getByRole('option', { name: 'A connection of any kind' }).click()
  await page.getByRole('combobox', { name: 'Connection' }).click()
  await page.getByRole('option', { name: 'archive (AWS)' }).waitFor()
  await page.getByRole('option', { name: 'bank (Digest)' }).click()
  await expect.poll(auth, { timeout: 20_000 }).toEqual({ kind: 'connection', connection: 'bank' })
  await expectAccessible(page)

  // The other one is for TLS settings.
  await page.getByRole('button', { name: 'New: Connection', exact: true }).click()
  expect(await page.getByRole('radio', { name: /^Custom/ }).count()).toBe(0)
  await page.getByRole('radio', { name: /^Basic/ }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('other')
  await page.getByRole('textbox', { name: 'User name' }).fill('ada')
  await page.getByRole('button', { name: 'Create connection' }).click()
  await expect.poll(auth, { timeout: 20_000 }).toEqual({ kind: 'connection', connection: 'other' })
})
