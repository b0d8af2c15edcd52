// Runs after everything else, on its own (vitest.config.ts), because it measures processor time.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FLOW_INPUTS } from '../bench/worst-case/inputs.ts'
import type { Row } from '../bench/worst-case.ts'

const MOST_MS_PER_100_KB = 50
const MOST_RATIO = 3
/** A shorter time is noise: the kernel counts in steps of up to 4 ms. */
const KERNEL_STEP_MS = 4
const TOO_SHORT_MS = 15
/** What takes less the first time, before it is compiled, is within all limits, whatever it takes at half the size. */
const SHORT_MS = String(TOO_SHORT_MS - KERNEL_STEP_MS)

/** Measures in a new process, as the service runs: without the test runner's detours between files. */
async function measured(...args: string[]): Promise<Row[]> {
  const file = resolve(import.meta.dirname, '../bench/worst-case.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [file, '--json', '--short', SHORT_MS, ...args], {
    maxBuffer: 1 << 26,
  })
  return JSON.parse(stdout) as Row[]
}

/** Measures again alone and at four times the size, where chance weighs less: what grows too fast does so each time. */
async function problemAgain({ surface, grammar, input }: Row): Promise<string | null> {
  let problem: string | null = null
  for (let time = 0; time < 3; time++) {
    const rows = await measured('--only', surface, '--input', input, '--size', '400000')
    problem = problemOf(rows.find((row) => row.surface === surface && row.grammar === grammar && row.input === input)!)
    if (!problem) return null
  }
  return `${surface}, ${grammar}, ${input}: ${problem}`
}

/** The time of the same work on the machine for which the limit holds, and the factor for this machine: at least 1. */
const REFERENCE_MS = 40
const slownessNow = (): number => Math.max(1, referenceMs() / REFERENCE_MS)
const slowness = slownessNow()

function referenceMs(): number {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 5; time++) {
    const before = process.threadCpuUsage()
    for (let i = 0; i < 20; i++)
      JSON.parse(JSON.stringify(Array.from({ length: 5_000 }, (_, at) => ({ at, text: `text ${at}` }))))
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

function problemOf({ size, ms, msAtTwice }: Row): string | null {
  const most = Math.max(TOO_SHORT_MS, (size / 100_000) * MOST_MS_PER_100_KB) * slowness
  if (msAtTwice > most) return `takes ${msAtTwice.toFixed(0)} ms for ${size} bytes; ${most} are allowed`
  if (msAtTwice > TOO_SHORT_MS && msAtTwice / ms > MOST_RATIO)
    return `takes ${(msAtTwice / ms).toFixed(1)} times as long for twice the size`
  return null
}

describe('the worst of every grammar', () => {
  it('takes time in proportion to its size, and little of it, at every way in', { timeout: 600_000 }, async () => {
    // Two at once use both cores of a small machine; what the other one slows down is measured again alone.
    const rows = (await Promise.all([measured('--part', '1/2'), measured('--part', '2/2')])).flat()
    expect(new Set(rows.map(({ surface }) => surface)).size).toBeGreaterThan(20)
    const problems: string[] = []
    for (const row of rows.filter(problemOf)) {
      const problem = await problemAgain(row)
      if (problem) problems.push(problem)
    }
    expect(problems).toEqual([])
  })
})

/** The worst of them cost a few milliseconds later on: the first time, the engine interprets what it has not compiled. */
const SCHEDULES = FLOW_INPUTS.filter(({ name }) => name.includes('pattern')).map(({ name }) => name)

describe('the worst cron patterns', () => {
  it.each(SCHEDULES)('take less than 50 ms also at the first check of a process: %s', async (input) => {
    const file = resolve(import.meta.dirname, '../bench/worst-case/first-check.ts')
    const firstMs = async () => Number((await promisify(execFile)(process.execPath, [file, input])).stdout)
    // Other work on the machine costs a short measurement some of its time, now more than at the start or less.
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && least > MOST_MS_PER_100_KB; time++)
      least = Math.min(least, (await firstMs()) / slownessNow())
    expect(least).toBeLessThan(MOST_MS_PER_100_KB)
  })
})
