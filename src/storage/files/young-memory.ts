// Frees the buffers that streamed bytes leave behind. V8 counts them as nothing until they are 64 MB: by then they are most of the
// memory of the process, which never gets it back from the allocator.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const FREE_EVERY_BYTES = 8 * 1024 ** 2

type Collect = (options: { type: 'minor' }) => void

let collect: Collect | null = null
let streamed = 0

/** Node gives the function only to those that ask for it by a flag. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const found = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return found
}

/** Is told of all bytes that files are written and read with. Collecting what is young takes about a millisecond. */
export function countStreamed(bytes: number): void {
  streamed += bytes
  if (streamed < FREE_EVERY_BYTES) return
  streamed = 0
  collect ??= collector()
  collect({ type: 'minor' })
}
