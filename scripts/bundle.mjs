// Makes dist/ out of src/ and most packages it uses: the command, and a file for each thread that it starts.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Left where they are: what looks for files beside itself, and what is loaded only by those who use it. */
const OUTSIDE = [/^node:/, /^@jitl\//, /^pino(-pretty)?$/, /^pg-native$/]

/**
 * Taken as `require` gives it. An import reads each export for the name that it offers, and one of them is a WebSocket,
 * for which Node loads all of the HTTP client that it has inside: 20 ms of the start, and 2 MB.
 */
const REQUIRED = 'node:http'
const required = {
  name: 'required',
  resolveId: (id) => (id === REQUIRED ? `\0${id}` : null),
  load: (id) => (id === `\0${REQUIRED}` ? `module.exports = process.getBuiltinModule('${REQUIRED}')` : null),
}

const bundle = await rolldown({
  input: {
    millrace: join(root, 'src/cli/millrace.ts'),
    'sandbox-worker': join(root, 'src/sandbox/worker.ts'),
    'storage-sqlite-vacuum-into': join(root, 'src/storage/sqlite/vacuum-into.ts'),
    'storage-sqlite-writer-thread': join(root, 'src/storage/sqlite/writer-thread.ts'),
  },
  platform: 'node',
  external: (id) => id !== REQUIRED && OUTSIDE.some((outside) => outside.test(id)),
  plugins: [required],
  logLevel: 'warn',
})
rmSync(join(root, 'dist'), { recursive: true, force: true })
const { output } = await bundle.write({
  dir: join(root, 'dist'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Whatever looks for files of the package does so from dist/ itself: see src/base/package-files.ts.
  hoistTransitiveImports: false,
  // One character beyond ASCII in a file, and Node keeps all of its text with two bytes for each. Notices go with the licences.
  charset: 'ascii',
  comments: { legal: false },
  // Names in stack traces stay as they were written.
  minify: { mangle: false, compress: false, codegen: true },
})
await bundle.close()
writeFileSync(join(root, 'dist/third-party-licenses.txt'), licenses(output.flatMap(({ moduleIds = [] }) => moduleIds)))

/** What the licences of the packages inside ask for: that their texts go along. */
function licenses(modules) {
  const folders = new Set(modules.map((id) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0]))
  folders.delete(undefined)
  return [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
      const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
      const notices = new Set(modules.filter((id) => id.startsWith(join(folder, '/'))).flatMap(noticesIn))
      return [`${name} ${version} (${license})`, ...texts, ...notices].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}

function noticesIn(file) {
  return Array.from(readFileSync(file, 'utf8').matchAll(/\/\*!(.*?)\*\//gs), ([, text]) => text.trim())
}
