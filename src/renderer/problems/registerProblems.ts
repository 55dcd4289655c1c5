import { handleCommand } from '../platform/commands.ts'
import { showPanel } from '../platform/layout/layoutStore.ts'
import { goToProblem } from './goToProblem.ts'
import { useProblemsFocus } from './problemFilter.ts'

/**
 * Registers the commands that show the problems of all files and go through them.
 * @returns a function that unregisters them
 */
export function registerProblems(): () => void {
  const stops = [
    handleCommand('problems.show', () => {
      showPanel('problems')
      useProblemsFocus.setState({ requested: true })
    }),
    handleCommand('problems.next', () => goToProblem(1)),
    handleCommand('problems.previous', () => goToProblem(-1)),
  ]
  return () => stops.forEach((stop) => stop())
}
