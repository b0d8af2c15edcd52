// Times and durations for people.

/** In the time zone of the terminal. */
export function showTime(iso: string | null): string {
  if (iso === null) return '-'
  const time = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

export function showDuration(from: string | null, to: string | null): string {
  if (from === null || to === null) return '-'
  const ms = Date.parse(to) - Date.parse(from)
  return ms < 1000 ? `${ms} ms` : ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}
