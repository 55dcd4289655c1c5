import { fileURLToPath } from 'node:url'
import type { Platform } from '../appServices/platform.ts'
import { inProcessIndex } from './inProcessIndex.ts'

/** Returns the platform of a headless core in a test, whose code index runs in the process of the test. */
export function headlessPlatform(userData: string): Platform {
  return {
    host: 'headless',
    version: 'test',
    userData,
    resources: fileURLToPath(new URL('../../../resources', import.meta.url)),
    fork: inProcessIndex,
  }
}
