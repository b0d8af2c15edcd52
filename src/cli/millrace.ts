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

const [command = 'serve', ...rest] = process.argv.slice(2)
if (command === 'serve') {
  const { serve } = await import('./serve.ts')
  await serve()
} else if (command === 'users' && rest[0] === 'reset-password' && rest.length === 2) {
  const { resetUserPassword } = await import('./reset-user-password.ts')
  await resetUserPassword(rest[1]!)
} else if (command === 'keys') {
  const { keys } = await import('./keys.ts')
  await keys(rest[0])
} else {
  console.error(
    `Unknown command "${[command, ...rest].join(' ')}". There are: millrace serve, millrace users reset-password <e-mail>, millrace keys, millrace keys rotate`,
  )
  process.exit(2)
}
