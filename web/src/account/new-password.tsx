import { PasswordInput, Progress, Stack } from '@mantine/core'
import { useId } from 'react'
import { passwordStrength, SHORTEST_PASSWORD } from './password-strength.ts'

interface NewPasswordProps {
  label?: string
  value: string
  onChange: (value: string) => void
}

const COLORS = ['var(--mr-bad)', 'var(--mr-wait)', 'var(--mr-ok)', 'var(--mr-ok)']

export function NewPassword({ label = 'Password', value, onChange }: NewPasswordProps) {
  const { level, word } = passwordStrength(value)
  const id = useId()
  return (
    <Stack gap={6}>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        required
        value={value}
        aria-describedby={id}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Progress value={value === '' ? 0 : (level + 1) * 25} color={COLORS[level]!} size={3} aria-hidden="true" />
      <span id={id} style={{ fontSize: 12, color: 'var(--mr-dim)' }} aria-live="polite">
        {value === '' ? `At least ${SHORTEST_PASSWORD} characters; a few words are easy to remember.` : word}
      </span>
    </Stack>
  )
}
