import { connect } from 'node:net'

/** Tries a port once: many servers do not say when they are ready. */
export function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => setTimeout(resolve, 20, false))
  })
}
