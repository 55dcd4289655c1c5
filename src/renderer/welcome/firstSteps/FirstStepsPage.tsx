import { useSettings } from '../../platform/appState.ts'
import { runCommand } from '../../platform/commands.ts'
import { takePageFocus } from '../../platform/layout/pages.tsx'
import { Button } from '../../ui/index.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { hideFirstSteps } from './firstStepsStore.ts'

/** The first steps in a tab, for a window with a folder. */
export function FirstStepsPage() {
  const done = useSettings()?.firstSteps === 'done'
  return (
    <div className="first-steps-page" role="region" aria-label="First steps">
      <div className="first-steps-inner">
        <header>
          <h1 className="ui-page-title">First steps</h1>
          <p>From a model to the first change that you keep.</p>
        </header>
        <FirstSteps inFolder />
        <footer>
          <Button ref={takePageFocus} size="small" onClick={() => closeSteps(done)}>
            {done ? 'Close' : 'Do not show again'}
          </Button>
          <span>The Help menu opens the first steps again.</span>
        </footer>
      </div>
    </div>
  )
}

function closeSteps(done: boolean): void {
  runCommand('tab.close')
  if (!done) hideFirstSteps()
}
