import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm start` listens; the development server hands the API on to it. */
const SERVICE = 'http://localhost:8080'
/** The service takes changes from its own pages only. */
const proxied = { target: SERVICE, headers: { origin: SERVICE } }

export default defineConfig({
  plugins: [react()],
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
