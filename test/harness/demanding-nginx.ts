// Starts a real nginx that demands client certificates: over any TLS, or over one version of it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MadeCertificate } from '../../src/outbound/tls/certificates.testkit.ts'
import { answersAt } from './answers-at.ts'
import { childEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'
import { findProxy } from './proxy.ts'

export interface DemandingNginx {
  /** By host name, and the port of one version of TLS. */
  url(version: 'TLSv1.2' | 'TLSv1.3'): string
  stop(): Promise<void>
}

/** It answers with the subject of the certificate, and whether the TLS session is resumed (`r`) or new (`.`). */
export async function startDemandingNginx(
  server: Pick<MadeCertificate, 'certificate' | 'key'>,
  clients: string,
): Promise<DemandingNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-nginx-'))
  chmodSync(folder, 0o755)
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const ports = { 'TLSv1.2': await freePort(), 'TLSv1.3': await freePort() }
  const [certificate, key, authorities] = [
    write('server.pem', server.certificate),
    write('server.key', server.key),
    write('clients.pem', clients),
  ]
  const servers = Object.entries(ports).map(
    ([version, port]) => `server {
      listen 127.0.0.1:${port} ssl;
      ssl_protocols ${version};
      ssl_certificate ${certificate}; ssl_certificate_key ${key};
      ssl_client_certificate ${authorities}; ssl_verify_client on;
      ssl_session_cache shared:${version}:1m;
      location / { default_type text/plain; return 200 "$ssl_client_s_dn $ssl_session_reused $connection"; }
    }`,
  )
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  const file = write(
    'nginx.conf',
    `${process.getuid?.() === 0 ? 'user root;' : ''} pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${paths.join(' ')} ${servers.join('\n')} }`,
  )
  const child = spawn(findProxy('nginx')!, ['-c', file, '-p', folder, '-g', 'daemon off;'], {
    env: childEnvironment({}),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4000)
  })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  for (const port of Object.values(ports))
    while (!(await answersAt(port))) if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`)
  return {
    url: (version) => `https://localhost:${ports[version]}/`,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'close')
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
