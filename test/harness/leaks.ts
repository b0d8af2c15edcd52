// Looks for a secret in the data of a test: as it is, URL-encoded, and in base64 at every alignment.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function leaksOf(content: string | Buffer, secret: string): string[] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return Object.entries(formsOf(secret))
    .filter(([, form]) => bytes.includes(form))
    .map(([name]) => name)
}

/** Returns the files in and below the folder that contain the secret, and in which form. */
export function leaksInFolder(folder: string, secret: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return files.flatMap(({ name, parentPath }) =>
    leaksOf(readFileSync(join(parentPath, name)), secret).map((form) => `${name}: ${form}`),
  )
}

function formsOf(secret: string): Record<string, string> {
  const encoded = encodeURIComponent(secret)
  const forms: Record<string, string> = {
    raw: secret,
    'JSON-escaped': JSON.stringify(secret).slice(1, -1),
    'URL-encoded': encoded,
    'URL-encoded in lower case': encoded.replaceAll(/%../g, (hex) => hex.toLowerCase()),
    'form-encoded': new URLSearchParams({ '': secret }).toString().slice(1),
  }
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.from('\0'.repeat(before) + secret).toString('base64')
    // Leaves out the characters that depend on the neighbouring bytes.
    const core = base64.slice(before === 0 ? 0 : before + 1, -4)
    forms[`base64 after ${before}`] = core
    forms[`base64url after ${before}`] = core.replaceAll('+', '-').replaceAll('/', '_')
    forms[`URL-encoded base64 after ${before}`] = encodeURIComponent(core)
  }
  return forms
}
