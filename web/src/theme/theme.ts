import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core'
import { dark, gray, light, night, red, schemeVariables, water } from './palette.ts'

const tuple = (shades: readonly string[]) => shades as unknown as MantineColorsTuple

export const MONOSPACE =
  '"JetBrains Mono Variable", ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'
const SANS = '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

/** How long something takes to change its place, in milliseconds. With prefers-reduced-motion it takes none. */
const MOTION_MS = 140

export const theme = createTheme({
  colors: { water: tuple(water), gray: tuple(gray), dark: tuple(dark), red: tuple(red) },
  primaryColor: 'water',
  primaryShade: { light: 6, dark: 7 },
  black: gray[9],
  fontFamily: SANS,
  fontFamilyMonospace: MONOSPACE,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.125rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Plain objects: `Modal.extend` would bring the code of every component into the first page.
  components: {
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    Tooltip: {
      defaultProps: { openDelay: 350, events: { hover: true, focus: true, touch: false }, withArrow: false, fz: 'xs' },
    },
    Menu: { defaultProps: { shadow: 'sm', transitionProps: { duration: MOTION_MS } } },
    Popover: { defaultProps: { shadow: 'sm', transitionProps: { duration: MOTION_MS } } },
    Modal: { defaultProps: { transitionProps: { duration: MOTION_MS }, padding: 'lg', radius: 'lg' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Select: { defaultProps: { allowDeselect: false } },
    Loader: { defaultProps: { size: 'xs' } },
    Kbd: { defaultProps: { size: 'xs' } },
  },
})

const mantine = (scheme: typeof light) => ({
  '--mantine-color-body': scheme.page,
  '--mantine-color-text': scheme.text,
  '--mantine-color-dimmed': scheme.dim,
  '--mantine-color-anchor': scheme.accent,
  '--mantine-color-error': scheme.bad,
  '--mantine-color-placeholder': scheme.dim,
  '--mantine-color-default-border': scheme.border,
})

/** Our names for the colours (`--mr-…`), and Mantine's where it has one for the same thing. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--mr-motion': `${MOTION_MS}ms` },
  light: { ...schemeVariables(light), ...mantine(light) },
  dark: { ...schemeVariables(night), ...mantine(night) },
})

export const colorSchemeManager = localStorageColorSchemeManager({ key: 'millrace-color-scheme' })
