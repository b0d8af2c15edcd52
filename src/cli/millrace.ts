#!/usr/bin/env -S node --max-semi-space-size=8
// The `millrace` command.
import { enableCompileCache } from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `Millrace needs Node 24 or newer; this is ${process.version}. Run it through npm (npm start), which brings the right one.`,
  )
  process.exit(1)
}
enableCompileCache()

const [command = 'serve'] = process.argv.slice(2)
if (command === 'serve') {
  const { serve } = await import('./serve.ts')
  await serve()
} else {
  console.error(`Unknown command "${command}". There is: millrace serve`)
  process.exit(2)
}
