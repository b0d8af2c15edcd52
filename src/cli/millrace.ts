#!/usr/bin/env node
// The `millrace` command.
// As a whole: an older Node knows no such name in it, and must get as far as the message below.
import module from 'node:module'
import { returnFreedMemory } from './return-freed-memory.ts'

const NEEDED = 24

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const { runOnPinnedNode } = await import('./pinned-node.ts')
  await runOnPinnedNode()
  console.error(
    `Millrace needs Node ${NEEDED} or newer; this is ${process.version}. npm installs the right one on Linux (x64, arm64) and Windows (x64), ` +
      `unless you tell it to omit optional packages. Otherwise install Node ${NEEDED} from your system.`,
  )
  process.exit(1)
} else await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<void> {
  const isService = args.length === 0 || (args[0] === 'serve' && args.length === 1)
  if (isService) returnFreedMemory()
  module.enableCompileCache()

  // The service starts without the rest of the command line.
  if (isService) {
    const { serve } = await import('./serve.ts')
    await serve()
  } else {
    const { main } = await import('./main.ts')
    await main(args)
  }
}
