// The port to what opens certificates and keys, in a process of its own: a file can say how long that takes.
import type { TlsSettings } from '../../engine/ports/tls.ts'

export interface TlsFault {
  field: keyof TlsSettings
  /** The end of a sentence that begins with the field's name. */
  message: string
}

export interface OpenedTls {
  faults: TlsFault[]
  /** PEM: the client certificate; null if there is none, or a fault. */
  certificate: string | null
}

/** Returns what is wrong with the settings, and the certificate that is in them. Never quotes them. */
export type OpenTls = (settings: TlsSettings) => Promise<OpenedTls>
