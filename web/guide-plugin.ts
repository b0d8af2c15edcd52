// Adds the guide to the build: its pages below docs/, which the server serves at /docs.
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { guideSite } from '../scripts/guide-site.ts'
import { light, night, schemeVariables } from './src/theme/palette.ts'

const root = resolve(import.meta.dirname, '..')

const declared = (scheme: typeof light): string =>
  Object.entries(schemeVariables(scheme))
    .map(([name, value]) => `${name}:${value};`)
    .join('')

/** The app sets its attribute before the first paint; without scripts the system decides. */
const COLORS = `:root{color-scheme:light;${declared(light)}}
@media (prefers-color-scheme:dark){:root:not([data-mantine-color-scheme]){color-scheme:dark;${declared(night)}}}
:root[data-mantine-color-scheme=dark]{color-scheme:dark;${declared(night)}}
`

export const guide: Plugin = {
  name: 'guide',
  apply: 'build',
  generateBundle(_options, bundle) {
    const entry = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'guide')
    const icon = Object.keys(bundle).find((file) => /favicon.*\.svg$/.test(file))
    if (entry?.type !== 'chunk' || !icon) throw new Error('The guide has no script or no icon.')
    const colors = this.emitFile({ type: 'asset', name: 'guide-colors.css', source: COLORS })
    const styles = [this.getFileName(colors), ...(entry.viteMetadata?.importedCss ?? [])].map((file) => `/${file}`)
    for (const { path, content } of guideSite(root, { script: `/${entry.fileName}`, styles, icon: `/${icon}` }))
      this.emitFile({ type: 'asset', fileName: `docs/${path}`, source: content })
  },
}
