// Loads one URL with wrk and reads, from /proc, what the server used meanwhile. Loopback only.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The command that `npm start` runs. */
export const SERVE = ['--max-semi-space-size=8', 'dist/millrace.js', 'serve']

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failed: number
  cpuPercent: number
  /** Requests per second of the server's processor time, which other work on the machine hardly changes. */
  perCpuSecond: number
  rssMb: number
  /** Processor time per request, in microseconds, by part of the system. */
  parts: Record<string, number>
}

/** The processes under load, by what they do. */
export type Parts = Record<string, () => number[]>

const TICKS_PER_SECOND = 100
const here = import.meta.dirname

/** The event that is posted. */
export const EVENT = join(here, 'order.json')

export async function load(
  url: string,
  parts: Parts,
  connections: number,
  seconds: number,
  event = EVENT,
): Promise<Measured> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error(`${url} is not on this machine`)
  const used = () =>
    Object.fromEntries(Object.entries(parts).map(([name, pids]) => [name, sum(pids().map(cpuSeconds))]))
  const before = used()
  const { stdout } = await promisify(execFile)(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', join(here, 'post.lua'), url],
    { env: { ...process.env, BENCH_BODY: event } },
  )
  const after = used()
  const spent = Object.fromEntries(Object.keys(parts).map((name) => [name, after[name]! - before[name]!]))
  const total = sum(Object.values(spent))
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)![1]!) as {
    requests: number
    us: number
    failed: number
    p50: number
    p99: number
  }
  return {
    perSecond: Math.round(result.requests / (result.us / 1e6)),
    p50Ms: result.p50 / 1000,
    p99Ms: result.p99 / 1000,
    failed: result.failed,
    cpuPercent: Math.round((total / (result.us / 1e6)) * 100),
    perCpuSecond: Math.round(result.requests / Math.max(total, 0.01)),
    rssMb: Math.max(...Object.values(parts).flatMap((pids) => pids().map(rssMb))),
    parts: Object.fromEntries(
      Object.entries(spent).map(([name, seconds_]) => [
        name,
        Math.round((seconds_ / Math.max(1, result.requests)) * 1e6),
      ]),
    ),
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Returns a process and its children, since PostgreSQL starts one for each session. */
export function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => Number(statOf(other)?.[1]) === pid)
  return [pid, ...children]
}

/** Returns the processor time of the process, of all its threads, and of its children that have ended. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return fields ? sum([11, 12, 13, 14].map((at) => Number(fields[at]))) / TICKS_PER_SECOND : 0
}

/** Returns null if the process has ended meanwhile. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

export function rssMb(pid: number): number {
  const status = statOf(pid) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

/** Waits until the server has finished the work that it has accepted. */
export async function settle(parts: Parts): Promise<void> {
  const used = () => sum(Object.values(parts).flatMap((pids) => pids().map(cpuSeconds)))
  for (let i = 0; i < 100; i++) {
    const before = used()
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (used() - before < 0.05) return
  }
}
