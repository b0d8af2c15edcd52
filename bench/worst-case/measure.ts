// Measures what one input costs the main thread: its processor time, which other work on the machine does not change.

/** The kernel counts in steps of up to 4 ms. */
const LEAST_MS = 20
const MOST_ROUNDS = 10

const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export async function onceMs(work: () => unknown, mostRounds = MOST_ROUNDS): Promise<number> {
  let rounds = 0
  const start = spentMs()
  let spent = 0
  while (spent < LEAST_MS && rounds < mostRounds) {
    await work()
    rounds++
    spent = spentMs() - start
  }
  return spent / rounds
}

/** Returns the least of a few tries: some of them collect the garbage of earlier ones. */
export async function costMs(work: () => unknown, tries = 2): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries; i++) {
    least = Math.min(least, await onceMs(work))
    // A long measurement gains nothing by another try.
    if (least > 200) break
  }
  return least
}
