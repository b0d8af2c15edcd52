// Resolves names, one query at a time per name: a burst of requests to one host asks once.
import { lookup as systemLookup } from 'node:dns'

export interface ResolvedAddress {
  address: string
  family: number
}

export type LookupCallback = (error: Error | null, addresses: readonly ResolvedAddress[]) => void

export type Lookup = (hostname: string, callback: LookupCallback) => void

// Uses `lookup` rather than DNS queries: it reads the hosts file, like every other program on the machine.
const askSystem: Lookup = (hostname, callback) =>
  systemLookup(hostname, { all: true }, (error, addresses) => callback(error, addresses ?? []))

export function sharedLookup(lookup: Lookup = askSystem): Lookup {
  const asked = new Map<string, LookupCallback[]>()
  return (hostname, callback) => {
    const waiting = asked.get(hostname)
    if (waiting) {
      waiting.push(callback)
      return
    }
    const callbacks = [callback]
    asked.set(hostname, callbacks)
    lookup(hostname, (error, addresses) => {
      asked.delete(hostname)
      for (const each of callbacks) each(error, addresses)
    })
  }
}
