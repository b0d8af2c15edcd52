// Runs as a process: checks the TLS settings that it is sent, and answers.
import type { TlsSettings } from '../../engine/ports/tls.ts'
import { checkTls } from './check-tls.ts'

process.once('message', (settings: TlsSettings) => {
  process.send!(checkTls(settings), () => process.disconnect())
})
