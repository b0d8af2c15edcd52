// Knows the sockets whose request may take longer to arrive than others: they bring files, and have a time limit of their own.
import type { Socket } from 'node:net'

const sockets = new WeakSet<Socket>()

export const mayTakeLonger = (socket: Socket): boolean => sockets.has(socket)

/** Returns a function that ends it. */
export function allowLonger(socket: Socket): () => void {
  sockets.add(socket)
  return () => sockets.delete(socket)
}
