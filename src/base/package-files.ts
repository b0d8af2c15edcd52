// Locates files of this package, both from the sources in src/ and from the bundle in dist/.

const isBundle = import.meta.url.endsWith('.js')
const ROOT = new URL(isBundle ? '../' : '../../', import.meta.url)

export const packageFile = (path: string): URL => new URL(path, ROOT)

/** Returns the file of a thread or process. scripts/build.mjs bundles each one with its imports into one file. */
export const threadFile = (
  path:
    | 'sandbox/worker'
    | 'storage/sqlite/vacuum-into'
    | 'storage/sqlite/hot/writer-thread'
    | 'outbound/tls/check-process',
): URL => packageFile(isBundle ? `dist/${path.replaceAll('/', '-')}.js` : `src/${path}.ts`)
