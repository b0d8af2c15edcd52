// Checks the chains of the audit log: whether an entry was changed, is missing, was moved, added or cut off.
import {
  type AuditChains,
  anchorText,
  type ChainState,
  hashesOf,
  hashOf,
  headText,
  MAIN_CHAIN,
  type Signing,
  type StoredEntry,
} from '../../ports/audit-log/chain.ts'

const PAGE = 500

export interface ChainFault {
  chain: string
  seq: number | null
  /** The id of the entry that does not hold. */
  id: string | null
  message: string
}

export interface Verified {
  chains: number
  /** Entries that are in a chain and hold. */
  entries: number
  /** Entries from before there were chains: nothing can be said of them. */
  unchained: number
  /** The first fault of each chain. */
  faults: ChainFault[]
}

/** Checks the whole log in a database that is in use. `progress` is told how many entries were read. */
export async function verifyChains(
  chains: AuditChains,
  signing: Signing,
  progress: (entries: number) => void = () => {},
): Promise<Verified> {
  const verified: Verified = { chains: 0, entries: 0, unchained: 0, faults: [] }
  const named = new Set<string>()
  const seen = (entry: StoredEntry) => {
    if (entry.action === 'audit.chain' && entry.target) named.add(entry.target.id)
    if (++verified.entries % 10_000 === 0) progress(verified.entries)
  }
  const all = await chains.all()
  // The main chain is read last: it names each chain that was there before.
  for (const { id } of [...all.filter((one) => one.id !== MAIN_CHAIN), ...all.filter((one) => one.id === MAIN_CHAIN)]) {
    verified.chains++
    const fault = await verifyChain(chains, signing, id, seen)
    if (fault) verified.faults.push(fault)
  }
  for (const id of await chains.unknown())
    verified.faults.push({ chain: id, seq: null, id: null, message: 'its entries are there, but not the chain itself' })
  for (const id of named)
    if (!(await chains.get(id)))
      verified.faults.push({ chain: id, seq: null, id: null, message: 'the chain is missing as a whole' })
  for (let after = ''; ; ) {
    const page = await chains.unchained(after, PAGE)
    verified.unchained += page.length
    if (page.length < PAGE) return verified
    after = page.at(-1)!.id
  }
}

interface Place {
  seq: number
  hash: string | null
}

async function verifyChain(
  chains: AuditChains,
  signing: Signing,
  id: string,
  seen: (entry: StoredEntry) => void,
): Promise<ChainFault | null> {
  const fault = (message: string, entry: StoredEntry | null = null): ChainFault => ({
    chain: id,
    seq: entry?.seq ?? null,
    id: entry?.id ?? null,
    message,
  })
  let state = await chains.get(id)
  if (!state) return fault('the chain is missing as a whole')
  const forged = forgedAnchor(state, signing)
  if (forged !== null) return fault(forged)
  let last: Place = state.anchor ?? { seq: 0, hash: null }
  for (;;) {
    const page = await chains.entries(id, last.seq, PAGE)
    for (const entry of page) {
      const problem = problemOf(entry, last)
      if (problem !== null) {
        // Retention may have deleted entries since the anchor was read.
        const moved = await movedAnchor(chains, signing, id, last.seq)
        if (!moved) return fault(problem, entry)
        last = moved
        break
      }
      last = { seq: entry.seq!, hash: entry.hash }
      seen(entry)
    }
    if (page.length > 0) continue
    state = await chains.get(id)
    if (!state) return fault('the chain is missing as a whole')
    // A deed may have come between.
    if (state.seq > last.seq && (await chains.entries(id, last.seq, 1)).length > 0) continue
    const moved = state.anchor && state.anchor.seq > last.seq ? await movedAnchor(chains, signing, id, last.seq) : null
    if (!moved) return endFault(state, last, signing, fault)
    last = moved
  }
}

function endFault(
  state: ChainState,
  last: Place,
  signing: Signing,
  fault: (message: string) => ChainFault,
): ChainFault | null {
  if (state.signature === null || !signing.isSigned(headText(state), state.signature))
    return fault('its end is not signed by a key of this instance: it was changed, or a key is not given')
  if (state.seq > last.seq)
    return fault(`it was cut off: it ends with entry ${last.seq}, and should end with ${state.seq}`)
  if (state.seq < last.seq)
    return fault(`entries were added: it should end with entry ${state.seq}, and ends with ${last.seq}`)
  if (state.hash !== last.hash) return fault('its last entry is not the one that was signed')
  return null
}

function forgedAnchor({ id, anchor }: ChainState, signing: Signing): string | null {
  if (!anchor || signing.isSigned(anchorText(id, anchor), anchor.signature)) return null
  return 'the anchor that retention left is not signed by a key of this instance: it was changed, or a key is not given'
}

async function movedAnchor(chains: AuditChains, signing: Signing, id: string, after: number): Promise<Place | null> {
  const state = await chains.get(id)
  if (!state?.anchor || state.anchor.seq <= after || forgedAnchor(state, signing) !== null) return null
  return state.anchor
}

/** Returns why the entry cannot come after `last`; null if it can. */
function problemOf(entry: StoredEntry, last: Place): string | null {
  const order = orderProblem(entry.seq!, entry.prev, last)
  if (order !== null) return order
  return hashOf(entry) === entry.hash ? null : 'it was changed: its hash does not fit'
}

function orderProblem(seq: number, prev: string | null, last: Place): string | null {
  if (seq > last.seq + 1)
    return seq === last.seq + 2
      ? `entry ${last.seq + 1} before it is missing`
      : `the entries ${last.seq + 1} to ${seq - 1} before it are missing`
  if (seq <= last.seq) return `it comes twice, or in the wrong place: after entry ${last.seq}`
  return prev === last.hash ? null : 'it does not follow the entry before it: one of the two was changed or moved'
}

/** Checks the lines of an export. What is before its first and after its last line of a chain cannot be known. */
export async function verifyLines(
  lines: AsyncIterable<string>,
  progress: (entries: number) => void = () => {},
): Promise<Verified> {
  const last = new Map<string, Place>()
  const broken = new Set<string>()
  const verified: Verified = { chains: 0, entries: 0, unchained: 0, faults: [] }
  let number = 0
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    const entry = readLine(line)
    if (!entry) {
      verified.faults.push({ chain: '', seq: null, id: null, message: `line ${number} is no entry of an audit log` })
      return verified
    }
    if (entry.chain === null) {
      verified.unchained++
      continue
    }
    if (broken.has(entry.chain)) continue
    const before = last.get(entry.chain)
    const hashes = hashesOf(line)
    const problem =
      (before && orderProblem(entry.seq, entry.prev, before)) ??
      (hashes?.written === hashes?.right && hashes ? null : 'it was changed: its hash does not fit')
    if (problem !== null) {
      broken.add(entry.chain)
      verified.faults.push({ chain: entry.chain, seq: entry.seq, id: entry.id, message: `${problem} (line ${number})` })
      continue
    }
    last.set(entry.chain, { seq: entry.seq, hash: hashes!.written })
    if (++verified.entries % 10_000 === 0) progress(verified.entries)
  }
  verified.chains = new Set([...last.keys(), ...broken]).size
  return verified
}

interface ExportedLine {
  chain: string | null
  seq: number
  prev: string | null
  id: string
}

function readLine(line: string): ExportedLine | null {
  try {
    const read = JSON.parse(line) as Partial<Record<keyof ExportedLine, unknown>> | null
    if (typeof read?.id !== 'string') return null
    if (read.chain === null) return { chain: null, seq: 0, prev: null, id: read.id }
    const fits =
      typeof read.chain === 'string' &&
      Number.isSafeInteger(read.seq) &&
      (read.prev === null || typeof read.prev === 'string')
    return fits ? (read as ExportedLine) : null
  } catch {
    return null
  }
}
