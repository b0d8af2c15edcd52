// Tests a service that may open few files: it starts with fewer sockets, or says what to do.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openFilesLimit } from '../../src/http/listen.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { connectRaw } from '../harness/raw-request.ts'
import { startUpstream } from '../harness/upstream.ts'

const folders: string[] = []
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

async function startWith(openFiles: number, environment: Record<string, string> = {}) {
  const dataDir = temporaryFolder()
  folders.push(dataDir)
  return spawnMillrace(dataDir, await freePort(), { TEST_OPEN_FILES: String(openFiles), ...environment })
}

describe.skipIf(process.platform !== 'linux')('with few files that may be open at once', { timeout: 60_000 }, () => {
  it('listens on fewer sockets, says so once, and runs flows', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'))
    onTestFinished(() => upstream.close())
    const millrace = await startWith(256, { MILLRACE_ENV_UPSTREAM: upstream.url })
    onTestFinished(() => void millrace.child.kill('SIGKILL'))
    const warnings = millrace
      .output()
      .split('\n')
      .filter((line) => line.includes('"openFiles"'))
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ openFiles: 256, sockets: 48, msg: expect.stringContaining('ulimit -n') }),
    ])
    const { post } = await millrace.publish({
      name: 'Call',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'sum', kind: 'code', input: '{{ webhook.body.n }}', code: 'export default (n) => n + 1' },
        { id: 'call', kind: 'http', method: 'GET', url: '{{ env.UPSTREAM }}/{{ steps.sum }}' },
      ],
    })
    const answer = await post({ n: 1 })
    expect(await millrace.runEnded(answer.body.id)).toMatchObject({ status: 'succeeded' })

    // There are more sockets than files: some are refused, and the service survives.
    const connections = await Promise.all(Array.from({ length: 400 }, () => connectRaw(millrace.port)))
    for (const { socket } of connections) socket.destroy()
    const answers = () =>
      fetch(`${millrace.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      )
    while (!(await answers()));
    const after = await post({ n: 2 })
    expect(await millrace.runEnded(after.body.id)).toMatchObject({ status: 'succeeded' })
    millrace.child.kill('SIGTERM')
    expect(await millrace.exited).toBe(0)
  })

  it('ends with one line that says what to do where it could not work', async () => {
    for (const openFiles of [24, 64, 127]) {
      const ended = await startWith(openFiles).catch((error: Error) => error.message)
      expect(ended).toMatch(
        /^Millrace ended before it was ready: Millrace cannot start: this process may have \d+ files open at once[^\n]*ulimit -n[^\n]*\n$/,
      )
    }
  })

  it.skipIf(openFilesLimit() < 4096)('says nothing of it where there are enough', async () => {
    const millrace = await startWith(4096)
    expect(millrace.output()).not.toContain('"openFiles"')
    millrace.child.kill('SIGTERM')
    await millrace.exited
  })
})
