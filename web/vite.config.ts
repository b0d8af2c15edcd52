import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { MODULE_LIST, moduleList } from '../scripts/module-list.mjs'

/** Where `npm start` listens; the development server hands the API on to it. */
const SERVICE = 'http://localhost:8080'
/** The service takes changes from its own pages only. */
const proxied = { target: SERVICE, headers: { origin: SERVICE } }

const listsModules: Plugin = {
  name: 'lists-modules',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    this.emitFile({ type: 'asset', fileName: MODULE_LIST, source: moduleList(ids) })
  },
}

export default defineConfig({
  plugins: [react(), listsModules],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The service's Content-Security-Policy lets scripts and styles come from files only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  server: { proxy: { '/api': proxied, '/healthz': proxied } },
})
