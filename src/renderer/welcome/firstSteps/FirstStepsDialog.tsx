import { Dialog } from '../../ui/index.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { useFirstSteps } from './firstStepsStore.ts'

/** The first steps as a dialog, for a window with a folder. */
export function FirstStepsDialog() {
  const open = useFirstSteps((state) => state.open)
  if (!open) return null
  return (
    <Dialog title="First steps" width={640} onClose={() => useFirstSteps.setState({ open: false })}>
      <FirstSteps folderActions />
    </Dialog>
  )
}
