// `millrace users break-glass` and `millrace users reset-second-factor`: work on the data folder, for anyone who can write to it.
import type { Config } from '../../../app/config.ts'
import { CODE } from '../../../base/error-catalogue.ts'
import { defineCommand, flag, text } from '../../command.ts'
import { CliError, EXIT } from '../../exit-code.ts'

const DATA_DIR = text('folder', 'the data folder; by default MILLRACE_DATA_DIR')

async function repaired(config: Config, dataDir: string | undefined, work: (config: Config) => Promise<void>) {
  try {
    await work({ ...config, dataDir: dataDir ?? config.dataDir })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    const exit = code === CODE.not_found ? EXIT.notFound : EXIT.failed
    throw new CliError(exit, code ?? 'refused', `Nothing was changed: ${message}`)
  }
}

export const breakGlassUser = defineCommand({
  name: 'users break-glass',
  summary: 'Let an owner sign in with a password where only single sign-on is allowed',
  args: ['<email>'],
  options: { off: flag('take that away again'), 'data-dir': DATA_DIR },
  connects: false,
  details:
    'For the day when the provider of single sign-on is down (MILLRACE_OIDC_ONLY). Anyone who can write to the data folder may\ndo this, whether the service runs or not.',
  examples: [
    ['before it is needed', 'millrace users break-glass ada@example.com'],
    ['no longer', 'millrace users break-glass ada@example.com --off'],
  ],
  async run({ args, options, show, settings }) {
    const email = args[0]!
    const on = !options.off
    const { breakGlass } = await import('../../../app/sign-in/repair-users.ts')
    await repaired(settings.service(), options['data-dir'], (config) => breakGlass(config, email, on))
    return show({ email, breakGlass: on }, () =>
      on ? `${email} may always sign in with a password.` : `${email} is no longer a break-glass owner.`,
    )
  },
})

export const resetUserSecondFactor = defineCommand({
  name: 'users reset-second-factor',
  summary: 'Remove the second factor of a user who has lost it, and end the sessions of that user',
  args: ['<email>'],
  options: { 'data-dir': DATA_DIR },
  connects: false,
  details:
    'Owners do this in the settings. This is for the last owner: anyone who can write to the data folder may do it, whether the\nservice runs or not.',
  examples: [
    [
      'the password alone is enough then; exit code 1 where the user has none',
      'millrace users reset-second-factor ada@example.com',
    ],
  ],
  async run({ args, options, show, settings }) {
    const email = args[0]!
    const { removeSecondFactor } = await import('../../../app/sign-in/repair-users.ts')
    await repaired(settings.service(), options['data-dir'], (config) => removeSecondFactor(config, email))
    return show({ email }, () => `${email} has no second factor any more. All sessions of this user have ended.`)
  },
})
