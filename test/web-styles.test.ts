// Tests that the web UI has the styles of the components in it.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { buildUi } from '../scripts/build.mjs'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
const builtFiles = (ending: string) =>
  readdirSync(resolve(root, 'web/dist/assets')).filter((file) => file.endsWith(ending))
const built = (ending: string) =>
  builtFiles(ending)
    .map((file) => read(`web/dist/assets/${file}`))
    .join('\n')
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

it('imports the styles of each of Mantine’s components that is used', { timeout: 180_000 }, () => {
  expect(buildUi()).toBe(true)
  const used = classesIn(built('.js'))
  const there = classesIn(built('.css'))
  const folder = 'node_modules/@mantine/core/styles'
  const missing = readdirSync(resolve(root, folder))
    .filter((file) => file.endsWith('.layer.css'))
    .filter((file) => [...classesIn(read(`${folder}/${file}`))].some((name) => used.has(name) && !there.has(name)))
  expect(used.size).toBeGreaterThan(0)
  expect(missing, 'in web/src/theme/mantine.css').toEqual([])
})
