// Opens certificates and keys in a process of its own, which is killed if that takes long: the rounds of hashing that protect a
// PKCS#12 file may be billions, and nothing else ends them.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { threadFile } from '../../base/package-files.ts'
import type { TlsSettings } from '../../engine/ports/tls.ts'
import type { OpenedTls } from '../../operations/ports/connections.ts'

const WITHIN_MS = 30_000

export function openTls(settings: TlsSettings): Promise<OpenedTls> {
  const child = fork(fileURLToPath(threadFile('outbound/tls/check-process')), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS)
  return new Promise<OpenedTls>((resolve, reject) => {
    child.once('message', (opened) => resolve(opened as OpenedTls))
    child.once('error', reject)
    child.once('exit', () =>
      resolve({
        faults: [
          {
            field: settings.pkcs12 === undefined ? 'key' : 'pkcs12',
            message: `could not be opened within ${WITHIN_MS / 1000} s; export it with fewer rounds of hashing, or without a passphrase`,
          },
        ],
        certificate: null,
      }),
    )
    child.send(settings)
  }).finally(() => clearTimeout(timer))
}
