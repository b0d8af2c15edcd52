// The panel on the right: as wide as one likes it, by mouse or arrow keys; the width is remembered.
import { ActionIcon, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react'
import classes from './panel.module.css'

const NARROWEST = 340
const WIDEST = 900

interface SidePanelProps {
  label: string
  children: ReactNode
}

export function SidePanel({ label, children }: SidePanelProps) {
  const [width, setWidth] = useLocalStorage({
    key: 'millrace-editor-panel',
    defaultValue: 480,
    getInitialValueInEffect: false,
  })
  const resize = (wanted: number) => setWidth(Math.round(Math.min(WIDEST, Math.max(NARROWEST, wanted))))
  const onPointerDown = (event: PointerEvent<HTMLButtonElement>) => {
    const handle = event.currentTarget
    const [startX, startWidth] = [event.clientX, width]
    handle.setPointerCapture(event.pointerId)
    const move = ({ clientX }: globalThis.PointerEvent) => resize(startWidth + startX - clientX)
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true })
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') resize(width + 24)
    if (key === 'ArrowRight') resize(width - 24)
  }
  return (
    <aside className={classes.panel} style={{ '--width': `${width}px` } as CSSProperties} aria-label={label} data-panel>
      {/* biome-ignore lint/a11y/useSemanticElements: one that can be moved is a control */}
      <button
        type="button"
        className={classes.handle}
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panel"
        aria-valuenow={width}
        aria-valuemin={NARROWEST}
        aria-valuemax={WIDEST}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
      />
      {children}
    </aside>
  )
}

export function ClosePanel({ onClose }: { onClose: () => void }) {
  return (
    <Tooltip label="Close (Esc)">
      <ActionIcon aria-label="Close the panel" onClick={onClose}>
        <IconX size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
