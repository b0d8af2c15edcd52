// undici's client alone: its index loads fetch, caches and mocks besides, half of its memory.
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}
