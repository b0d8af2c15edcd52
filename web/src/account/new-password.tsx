import { PasswordInput, Progress } from '@mantine/core'
import { passwordStrength, SHORTEST_PASSWORD } from './password-strength.ts'

interface NewPasswordProps {
  label?: string
  value: string
  onChange: (value: string) => void
}

const COLORS = ['var(--mr-bad)', 'var(--mr-wait)', 'var(--mr-ok)', 'var(--mr-ok)']

export function NewPassword({ label = 'Password', value, onChange }: NewPasswordProps) {
  const { level, word } = passwordStrength(value)
  const hint = `At least ${SHORTEST_PASSWORD} characters, and none of the most common passwords; a few words are easy to remember.`
  return (
    <PasswordInput
      label={label}
      autoComplete="new-password"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      description={<span aria-live="polite">{value === '' ? hint : word}</span>}
      descriptionProps={{ mt: 4 }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputContainer={(input) => (
        <>
          {input}
          <Progress
            mt={6}
            value={value === '' ? 0 : (level + 1) * 25}
            color={COLORS[level]!}
            size={3}
            aria-hidden="true"
          />
        </>
      )}
    />
  )
}
