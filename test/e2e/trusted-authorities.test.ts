// Tests whom the whole instance trusts: MILLRACE_CA_FILE adds, and nothing takes the check of certificates away.
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeAuthority } from '../../src/outbound/tls/certificates.testkit.ts'
import { callCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { documentOf } from '../harness/management.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

function folder(): string {
  const made = temporaryFolder()
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

it('trusts the authorities in MILLRACE_CA_FILE besides the usual ones', async () => {
  const authority = makeAuthority('Company')
  const { certificate, key } = authority.issue({ name: 'server', hosts: ['localhost'] })
  const server = createServer({ key, cert: certificate }, (_request, response) => response.end('hello')).listen(0)
  await once(server, 'listening')
  const dataDir = folder()
  const file = join(dataDir, 'company.pem')
  writeFileSync(file, `# A comment\n${makeAuthority('Other').certificate}\n${authority.certificate}`)
  const millrace = await spawnMillrace(dataDir, await freePort(), { MILLRACE_CA_FILE: file })
  onTestFinished(async () => {
    millrace.child.kill('SIGTERM')
    await millrace.exited
    server.close()
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  const { post } = await millrace.publish(documentOf([{ id: 'a', kind: 'http', method: 'GET', url }]))
  const run = await millrace.runEnded((await post({})).body.id)
  expect(run.steps[0]).toMatchObject({ status: 'succeeded', output: { body: 'hello' } })
})

it('does not start with NODE_TLS_REJECT_UNAUTHORIZED=0, and says what to set instead', async () => {
  const starting = spawnMillrace(folder(), await freePort(), { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  await expect(starting).rejects.toThrow(
    /Millrace cannot start: NODE_TLS_REJECT_UNAUTHORIZED: it is 0.*MILLRACE_CA_FILE.*ca of a connection's TLS settings/,
  )
})

it('is told by millrace doctor', async () => {
  const env = { MILLRACE_DATA_DIR: folder(), NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const { checks } = (await callCli(['doctor', '--json'], { env })).json()
  expect(checks).toContainEqual(
    expect.objectContaining({ check: 'configuration', state: 'failed', says: expect.stringContaining('is 0') }),
  )
})
