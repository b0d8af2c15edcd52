// Loads one URL with wrk and reads, from /proc, what the server used meanwhile. Loopback only.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failed: number
  cpuPercent: number
  /** Of the server, per second of its processor time: hardly moved by what else runs on the machine. */
  perCpuSecond: number
  rssMb: number
}

const TICKS_PER_SECOND = 100
const here = import.meta.dirname

export async function load(url: string, pid: number, connections: number, seconds: number): Promise<Measured> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error(`${url} is not on this machine`)
  const before = cpuSeconds(pid)
  const { stdout } = await promisify(execFile)(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', join(here, 'post.lua'), url],
    { env: { ...process.env, BENCH_BODY: join(here, 'order.json') } },
  )
  const used = cpuSeconds(pid) - before
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
    cpuPercent: Math.round((used / (result.us / 1e6)) * 100),
    perCpuSecond: Math.round(result.requests / Math.max(used, 0.01)),
    rssMb: rssMb(pid),
  }
}

/** Processor time of the process and all its threads. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

export function rssMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
}

/** Waits until the server has worked off what it had taken on. */
export async function settle(pid: number): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const before = cpuSeconds(pid)
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (cpuSeconds(pid) - before < 0.03) return
  }
}
