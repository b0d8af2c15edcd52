// Bundles src/ and most of its packages into dist/: the command, and a file for each thread and process that it starts.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { MODULE_LIST, moduleList } from './module-list.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Packages that are not bundled: those that look for files beside themselves, and those that only some users load. */
const OUTSIDE = [/^node:/, /^@jitl\//, /^pino(-pretty)?$/, /^pg-native$/]

/**
 * Loaded by `require`. An import reads every export, and one of them is a WebSocket, for which Node loads its whole built-in
 * HTTP client: 20 ms of the start, and 2 MB.
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
    'outbound-tls-check-process': join(root, 'src/outbound/tls/check-process.ts'),
    'storage-sqlite-hot-writer-thread': join(root, 'src/storage/sqlite/hot/writer-thread.ts'),
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
  // Code that looks for files of the package starts from dist/ itself: see src/base/package-files.ts.
  hoistTransitiveImports: false,
  // One character beyond ASCII in a file makes Node keep its whole text with two bytes per character. Notices go with the
  // licences: see scripts/inventory.mjs.
  charset: 'ascii',
  comments: { legal: false },
  // Names in stack traces stay as written.
  minify: { mangle: false, compress: false, codegen: true },
})
await bundle.close()
writeFileSync(join(root, 'dist', MODULE_LIST), moduleList(output.flatMap(({ moduleIds = [] }) => moduleIds)))
