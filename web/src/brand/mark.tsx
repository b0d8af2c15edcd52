// The mark: a mill wheel in a stream.

export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true" focusable="false">
      <g stroke="currentColor" strokeWidth="1.75" strokeLinecap="round">
        <path d="M5.1 14.2A7.6 7.6 0 1 1 18.9 14.2" />
        <path d="M12 11 12 3.4M12 11 17.4 5.6M12 11 19.6 11M12 11 6.6 5.6M12 11 4.4 11" />
        <path d="M1.5 18.2c1.75 0 1.75-1.4 3.5-1.4s1.75 1.4 3.5 1.4 1.75-1.4 3.5-1.4 1.75 1.4 3.5 1.4 1.75-1.4 3.5-1.4 1.75 1.4 3.5 1.4" />
        <path d="M5 22c1.75 0 1.75-1.4 3.5-1.4s1.75 1.4 3.5 1.4 1.75-1.4 3.5-1.4 1.75 1.4 3.5 1.4" opacity="0.55" />
      </g>
      <circle cx="12" cy="11" r="2" fill="currentColor" />
    </svg>
  )
}
