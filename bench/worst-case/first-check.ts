// node bench/worst-case/first-check.ts <input>
// Prints the milliseconds of processor time of the first check of a flow in a process, before anything is compiled.
import { validate } from '../../src/flow/validate/validate.ts'
import { stepKinds } from '../../src/steps/index.ts'
import { FLOW_INPUTS } from './inputs.ts'

const document: unknown = JSON.parse(FLOW_INPUTS.find(({ name }) => name === process.argv[2])!.make(1_000))
const before = process.threadCpuUsage()
validate(document, stepKinds, { connections: new Map(), env: new Set(), config: new Set(), now: Date.UTC(2027, 0, 1) })
const { user, system } = process.threadCpuUsage(before)
process.stdout.write(String((user + system) / 1000))
