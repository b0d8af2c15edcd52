import type { Sender } from '../../api/api-types.ts'
import classes from './sender.module.css'

/** The letters of a sender on its color: black or white, whichever can be read on it. */
export function SenderTile({ sender: { color, letters } }: { sender: Pick<Sender, 'color' | 'letters'> }) {
  return (
    <span className={classes.tile} style={{ background: color, color: inkOn(color) }} aria-hidden="true">
      {letters}
    </span>
  )
}

/** The luminance of WCAG 2 above which black has the higher contrast. */
const MIDDLE = 0.179

function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > MIDDLE ? '#000000' : '#ffffff'
}
