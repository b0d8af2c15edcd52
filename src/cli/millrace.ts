#!/usr/bin/env node
// The `millrace` command.
// As a whole: an older Node knows no such name in it, and must get as far as the message below.
import module from 'node:module'
import { takeProcessSettings } from './process-settings.ts'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `Millrace needs Node 24 or newer; this is ${process.version}. Run it through npm (npm start), which brings the right one.`,
  )
  process.exit(1)
}

const args = process.argv.slice(2)
const isService = args.length === 0 || (args[0] === 'serve' && args.length === 1)
if (isService) takeProcessSettings()
module.enableCompileCache()

// The service starts without the rest of the command line.
if (isService) {
  const { serve } = await import('./serve.ts')
  await serve()
} else {
  const { main } = await import('./main.ts')
  await main(args)
}
