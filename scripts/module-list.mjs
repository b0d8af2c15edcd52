// Lists the third-party files in a bundle, as its builder reports them: one per line, for scripts/inventory.mjs.
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The name of the list in the folder of a bundle. The list is neither served nor packed. */
export const MODULE_LIST = '.modules'

/** Expects a builder's ids: paths, some with a query, or names of the builder's own code such as "\0rolldown/runtime.js". */
export function moduleList(ids) {
  const paths = [...ids].map((id) => {
    const own = /^\0(rolldown|vite)\//.exec(id)
    if (own) return `node_modules/${own[1]}/package.json`
    return relative(root, id.replace(/^\0/, '').replace(/\?.*$/s, '')).replaceAll(sep, '/')
  })
  const foreign = paths.filter((path) => path.startsWith('node_modules/'))
  return `${[...new Set(foreign)].toSorted((a, b) => (a < b ? -1 : 1)).join('\n')}\n`
}
