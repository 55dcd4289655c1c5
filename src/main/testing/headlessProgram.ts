import path from 'node:path'
import { isBuildCurrent } from '../../../scripts/lib/build.mjs'

const main = path.join(import.meta.dirname, '..')

/**
 * The program without a window, for tests that start it as a process: the built one if it is current, as in `npm test`,
 * because it starts in half of the processor time; otherwise its source.
 */
export const headlessProgram = isBuildCurrent()
  ? path.join(main, '../../out/main/headless.js')
  : path.join(main, 'headless.ts')
