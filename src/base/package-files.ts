// Files of this package that are opened or started by their place, from the sources in src/ and from the bundle in dist/ alike.

const isBundle = import.meta.url.endsWith('.js')
const ROOT = new URL(isBundle ? '../' : '../../', import.meta.url)

export const packageFile = (path: string): URL => new URL(path, ROOT)

/** A source file that is started as a thread; scripts/build.mjs makes one file of it, and of all that it imports. */
export const threadFile = (
  path: 'sandbox/worker' | 'storage/sqlite/vacuum-into' | 'storage/sqlite/writer-thread',
): URL => packageFile(isBundle ? `dist/${path.replaceAll('/', '-')}.js` : `src/${path}.ts`)
