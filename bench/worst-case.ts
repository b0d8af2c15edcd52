// node bench/worst-case.ts [--size 100000] [--only webhook] [--input aliases] [--part 1/2] [--short 15] [--json]
// Measures the worst inputs of every grammar at every way in, at one size and at twice that size. test/worst-case.test.ts
// runs it too, and checks each row against its limits.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test/harness/free-port.ts'
import { costMs, onceMs } from './worst-case/measure.ts'
import { evaluates, openSurfaces, type Surface } from './worst-case/surfaces.ts'

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
    input: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    short: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
})

export interface Row {
  surface: string
  who: string
  grammar: string
  input: string
  /** The larger of the two sizes. */
  size: number
  ms: number
  msAtTwice: number
}

/** What takes less milliseconds than this the first time, at twice the size, is not measured again. */
const SHORT_MS = Number(options.short)

async function rowsOf({ name, who, inputs, most, prepare }: Surface): Promise<Row[]> {
  const size = Math.min(Number(options.size), (most ?? Number.POSITIVE_INFINITY) / 2)
  const rows: Row[] = []
  for (const { grammar, name: input, make } of inputs) {
    if (!input.includes(options.input)) continue
    const prepared = async (n: number) => {
      const text = make(n)
      return name === 'expressions' ? evaluates(grammar, text) : prepare(text)
    }
    const atTwice = await prepared(2 * size)
    let msAtTwice = SHORT_MS > 0 ? await onceMs(atTwice, 1) : Number.POSITIVE_INFINITY
    if (msAtTwice >= SHORT_MS) msAtTwice = await costMs(atTwice)
    const ms = msAtTwice < SHORT_MS ? msAtTwice : await costMs(await prepared(size))
    rows.push({ surface: name, who, grammar, input, size: 2 * size, ms, msAtTwice })
  }
  return rows
}

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-worst-case-'))
const { surfaces, close } = await openSurfaces(dataDir, await freePort())
const rows: Row[] = []
const [part, parts] = options.part.split('/').map(Number) as [number, number]
for (const [i, surface] of surfaces.entries())
  if (i % parts === part - 1 && surface.name.includes(options.only)) rows.push(...(await rowsOf(surface)))
await close()
rmSync(dataDir, { recursive: true, force: true })

if (options.json) console.log(JSON.stringify(rows))
else {
  console.log(
    '| Way in | Who | Grammar | Input | Size | ms | at half the size | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  )
  for (const { surface, who, grammar, input, size, ms, msAtTwice } of rows)
    console.log(
      `| ${surface} | ${who} | ${grammar} | ${input} | ${size.toLocaleString('en')} | ${msAtTwice.toFixed(1)} | ${ms.toFixed(1)} | ${(msAtTwice / Math.max(ms, 0.1)).toFixed(1)} |`,
    )
}
process.exit(0)
