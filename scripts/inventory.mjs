// Lists the third-party code in the package, in the bundles or beside them: dist/sbom.cdx.json (CycloneDX 1.6), and the
// licences of what is in the bundles. The same sources give the same bytes.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULE_LIST } from './module-list.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (file) => readFileSync(join(root, file), 'utf8')
const own = JSON.parse(read('package.json'))
const locked = JSON.parse(read('package-lock.json')).packages

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const modules = Object.fromEntries(
  Object.entries({ service: 'dist', 'web-ui': 'web/dist' }).map(([part, folder]) => [
    part,
    read(`${folder}/${MODULE_LIST}`).split('\n').filter(Boolean),
  ]),
)
/** Returns the innermost package that contains a file, as the lockfile names it. */
const packageOf = (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0]
const bundled = Object.entries(modules).map(([part, paths]) => [part, [...new Set(paths.map(packageOf))]])
/** The packages that npm installs beside this one. */
const installed = Object.keys(locked).filter(
  (path) => path.startsWith('node_modules/') && !locked[path].dev && !locked[path].link,
)

/** Maps a package to the parts that contain it. */
const parts = new Map()
for (const [part, paths] of [...bundled, ['installed', installed]])
  for (const path of paths) parts.set(path, [...(parts.get(path) ?? []), part])

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const urlOf = (path) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${locked[path].version}`

function componentOf(path) {
  const { version, license, integrity, optional } = locked[path]
  const [name, group] = nameOf(path).split('/').toReversed()
  const [algorithm, digest] = /^(sha\d+)-(.*)$/.exec(integrity).slice(1)
  return {
    type: 'library',
    'bom-ref': urlOf(path),
    ...(group && { group }),
    name,
    version,
    // A package is optional only if it is installed beside the bundles; one inside them is always there.
    scope: optional && parts.get(path).join() === 'installed' ? 'optional' : 'required',
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl: urlOf(path),
    properties: parts.get(path).map((value) => ({ name: 'millrace:part', value })),
  }
}

/** Resolves a name as Node does: inside the package that asks, beside it, or further up. */
function resolveFrom(path, name) {
  const found = `${path}${path && '/'}node_modules/${name}`
  if (parts.has(found)) return found
  return path === '' ? null : resolveFrom(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name)
}

const needsOf = (path) => {
  const { dependencies, optionalDependencies, peerDependencies } = locked[path]
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.map((name) => resolveFrom(path, name)).filter((found) => found !== null)
}

/** Merges entries: the same version of a package may be in two places. */
function merged(entries, keyOf, join) {
  const byKey = new Map()
  for (const entry of entries) {
    const before = byKey.get(keyOf(entry))
    byKey.set(keyOf(entry), before ? join(before, entry) : entry)
  }
  return [...byKey.values()].toSorted((a, b) => byText(keyOf(a), keyOf(b)))
}

function billOfMaterials() {
  const paths = [...parts.keys()]
  const self = `pkg:npm/${own.name}@${own.version}`
  const needed = new Set(paths.flatMap(needsOf))
  const named = { ...own.devDependencies, ...own.dependencies, ...JSON.parse(read('web/package.json')).devDependencies }
  const dependencies = paths.map((path) => ({ ref: urlOf(path), dependsOn: needsOf(path).map(urlOf) }))
  // Lists the named dependencies, and the packages that no other one asks for: code that the builders add.
  const direct = paths.filter(
    (path) => !needed.has(path) || (path === `node_modules/${nameOf(path)}` && nameOf(path) in named),
  )
  dependencies.push({ ref: self, dependsOn: direct.map(urlOf) })
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': self,
        name: own.name,
        version: own.version,
        description: own.description,
        licenses: [{ license: { id: own.license } }],
        purl: self,
      },
    },
    components: merged(
      paths.map(componentOf),
      (component) => component['bom-ref'],
      (a, b) => ({
        ...a,
        properties: merged(
          [...a.properties, ...b.properties],
          ({ value }) => value,
          (x) => x,
        ),
      }),
    ),
    dependencies: merged(
      dependencies.map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].toSorted(byText) })),
      ({ ref }) => ref,
      (a, b) => ({ ref: a.ref, dependsOn: [...new Set([...a.dependsOn, ...b.dependsOn])].toSorted(byText) }),
    ),
  }
  const { bomFormat, specVersion, ...rest } = bill
  return { bomFormat, specVersion, serialNumber: serialNumberOf(bill), ...rest }
}

/** Returns a UUID of version 8 made from the content, so that another bill has another number. */
function serialNumberOf(bill) {
  const digits = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`]
  return `urn:uuid:${[...groups, digits.slice(20, 32)].join('-')}`
}

/** Collects the licence texts that must accompany the packages in the bundles. */
function licenses() {
  const paths = Object.values(modules).flat()
  const folders = [...new Set(paths.map(packageOf))].toSorted(byText)
  return folders
    .map((folder) => {
      const { version, license } = locked[folder]
      const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file))
      const texts = files.map((file) => read(join(folder, file)))
      const notices = new Set(paths.filter((path) => packageOf(path) === folder).flatMap(noticesIn))
      return [`${nameOf(folder)} ${version} (${license})`, ...texts, ...notices].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}

function noticesIn(file) {
  return Array.from(read(file).matchAll(/\/\*!(.*?)\*\//gs), ([, text]) => text.trim())
}

writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
writeFileSync(join(root, 'dist/third-party-licenses.txt'), licenses())
