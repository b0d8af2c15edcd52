// The report of `npm run bench`: where and when it was measured, and a table of medians, with ratios to the floor of the same round.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import type { Measured } from './load.ts'

export interface Row extends Measured {
  scenario: string
  connections: number
  target: string
  round: number
}

/** Where and when, and at which commit. */
export interface Circumstances {
  date: string
  commit: string
  node: string
  cores: number
  processor: string
  arch: string
  /** The load average of the minute before. */
  loadBefore: number
}

/** To be asked before the first load. */
export function circumstances(): Circumstances {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    node: process.version,
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    arch: process.arch,
    loadBefore: Number(loadavg()[0]!.toFixed(2)),
  }
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** A load average above this is not that of an idle machine. */
const IDLE = 0.3

export function heading(at: Circumstances): string {
  const beside = at.loadBefore > IDLE ? ': other work ran beside it' : ''
  return `${at.date}, commit ${at.commit}; Node ${at.node}, ${at.cores} cores, ${at.arch} (${at.processor}). Load average of the machine before: ${at.loadBefore.toFixed(2)}${beside}.`
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const upper = sorted.length >> 1
  return sorted.length % 2 ? sorted[upper]! : (sorted[upper - 1]! + sorted[upper]!) / 2
}

export function table(rows: Row[]): string {
  const lines = [
    '| scenario | connections | target | requests/s | of floor | least to most | of floor per CPU-s | p50 ms | p99 ms | CPU % | RSS MB (most) | µs of CPU per request | failed |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
  ]
  for (const key of new Set(rows.map((row) => `${row.scenario} ${row.connections} ${row.target}`))) {
    const mine = rows.filter((row) => `${row.scenario} ${row.connections} ${row.target}` === key)
    const first = mine[0]!
    const floorOf = (row: Row) =>
      rows.find(
        (r) =>
          r.target === 'floor' &&
          r.round === row.round &&
          r.scenario === row.scenario &&
          r.connections === row.connections,
      )!
    const of = (pick: (row: Row) => number) => median(mine.map(pick))
    const ratios = mine.map((row) => row.perSecond / floorOf(row).perSecond)
    const parts = Object.keys(first.parts).map((part) => `${part} ${Math.round(of((r) => r.parts[part]!))}`)
    const cells = [
      first.scenario,
      first.connections,
      first.target,
      Math.round(of((r) => r.perSecond)),
      median(ratios).toFixed(2),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      of((r) => r.perCpuSecond / floorOf(r).perCpuSecond).toFixed(2),
      of((r) => r.p50Ms).toFixed(2),
      of((r) => r.p99Ms).toFixed(1),
      Math.round(of((r) => r.cpuPercent)),
      Math.max(...mine.map((r) => r.rssMb)),
      parts.join(', '),
      mine.reduce((sum, r) => sum + r.failed, 0),
    ]
    lines.push(`| ${cells.join(' | ')} |`)
  }
  return lines.join('\n')
}
