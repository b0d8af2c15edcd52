// Ends a request whose body is not wanted.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

const LINGER_MS = 1000

/** Half-closes, and destroys a moment later: a peer that never closes its side must not keep the socket. */
export function closeSoon(socket: Socket): void {
  socket.end()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** For a refusal that does not want the body. True: it is still coming, and the reply must say that the connection closes. */
export async function leaveBody(raw: IncomingMessage | { complete: true }): Promise<boolean> {
  // A turn later the parser is done with a small body, and the connection can stay open.
  if (!raw.complete) await nextTurn()
  if (raw.complete) return false
  closeAfterReply(raw)
  return true
}

/**
 * The reply goes out although the sender is still sending. Closing at once would make the kernel reset the connection,
 * and the sender might never see the reply: the socket is half-closed first and destroyed a moment later.
 */
function closeAfterReply(raw: IncomingMessage): void {
  const socket = raw.socket as Socket & { destroySoon(): void }
  raw.pause()
  socket.destroySoon = () => closeSoon(socket)
}
