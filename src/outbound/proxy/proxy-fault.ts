import { lookup } from 'node:dns'
import { createSecureContext } from 'node:tls'
import { openThroughProxy } from './open-through-proxy.ts'
import type { ProxyServer } from './proxy-settings.ts'

/** Returns why no socket to the proxy can be opened; null if one can. */
export function proxyFault(proxy: ProxyServer, withinMs: number): Promise<string | null> {
  const way = { lookup, secureContext: createSecureContext() }
  return new Promise((resolve) => {
    const dialling = openThroughProxy(proxy, { protocol: 'http:', hostname: '', port: 80 }, way, (error, socket) => {
      clearTimeout(timer)
      socket?.destroy()
      resolve(error?.message ?? null)
    })
    const timer = setTimeout(() => {
      dialling.destroy()
      resolve(`No connection to ${proxy.label} within ${withinMs / 1000} s`)
    }, withinMs)
  })
}
