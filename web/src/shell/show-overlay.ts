export type Overlay = 'palette' | 'keys'

const ASKED = 'millrace:overlay'

/** Asks for the palette or the help of keys, from wherever. */
export const showOverlay = (overlay: Overlay): void =>
  void window.dispatchEvent(new CustomEvent(ASKED, { detail: overlay }))

export function onOverlay(show: (overlay: Overlay) => void): () => void {
  const listener = (event: Event) => show((event as CustomEvent<Overlay>).detail)
  window.addEventListener(ASKED, listener)
  return () => window.removeEventListener(ASKED, listener)
}
