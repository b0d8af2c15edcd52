// Sets the time that tests may take, before each file: a browser is slower than anything else under test.
import { expect, vi } from 'vitest'

if (expect.getState().testPath?.includes('/test/browser/')) vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
else vi.resetConfig()
