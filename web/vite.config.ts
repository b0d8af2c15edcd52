import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { MODULE_LIST, moduleList } from '../scripts/module-list.mjs'
import { guide } from './guide-plugin.ts'

/** Where `npm start` listens; the development server hands the API on to it. */
const SERVICE = 'http://localhost:8080'
/** The service takes changes from its own pages only. */
const proxied = { target: SERVICE, headers: { origin: SERVICE } }

const listsModules: Plugin = {
  name: 'lists-modules',
  generateBundle(_options, bundle) {
    // Fonts are files of packages too; their names are relative to this folder.
    const ids = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((name) => resolve(import.meta.dirname, name)),
    )
    this.emitFile({ type: 'asset', fileName: MODULE_LIST, source: moduleList(ids) })
  },
}

export default defineConfig({
  plugins: [react(), listsModules, guide],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The service's Content-Security-Policy lets scripts and styles come from files only.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        guide: resolve(import.meta.dirname, 'src/guide/main.ts'),
      },
      output: {
        // Small files cost more than their bytes: each is asked for, checked and linked by itself.
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'], test: (id) => !id.includes('/guide/') },
            // What most pages use.
            { name: 'parts', minShareCount: 8 },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  server: { proxy: { '/api': proxied, '/docs': proxied, '/healthz': proxied } },
})
